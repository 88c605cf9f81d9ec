/*
 * checksum: 64 bits that notice damage at memory speed; not against forgers.
 *
 * Four lanes of multiply-rotate. Each step is a bijection of the word it
 * takes in, so damage confined to one word is always noticed; anything else
 * with probability 1 - 2^-64. Part of the `.oh` format: never change it.
 */
#ifndef BASE_CHECKSUM_H
#define BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint64_t checksum(const void *bytes, size_t size);

#endif
