/*
 * scenario_folder: finds the scenarios in a folder, and the folder that comes with the program.
 */
#ifndef TRIAL_SCENARIO_SCENARIO_FOLDER_H
#define TRIAL_SCENARIO_SCENARIO_FOLDER_H

#include <stdbool.h>

#include "base/array.h"
#include "base/error.h"

#define SCENARIO_FOLDER_SIZE 4096 /* of a path */

enum folder_content { FOLDER_SCENARIOS, FOLDER_FOLDERS };

struct folder_names {
    ARRAY(char *) names;
};

bool scenario_folder_is_there(const char *path);

/* What is in it and has no dot in front, in the order of names. Closed, whatever the status. */
MUST_USE enum status scenario_folder_read(const char *folder, enum folder_content,
                                          struct folder_names *, struct error *);
void scenario_folder_close(struct folder_names *);

/* ./scenarios, or what was installed beside the program. */
bool scenario_folder_find(char path[SCENARIO_FOLDER_SIZE]);

#endif
