/*
 * cells: a history of rows in MonkeyDB's encoding, in which each cell is a key of its own, to compare with it.
 *
 *     t/7 {id 7, v 1}       t/7.id t/7.v        the cells
 *                           Set(t:7)            whether the row is there
 *
 * Whoever reads a row, because it was asked for or because it stood in the way of a scan, reads whether it is there
 * and, if it is, all its cells. Who inserts a row writes all of this, who deletes one whether it is there, and who
 * updates one those cells that change; if nobody knows which version was updated, all of them. (Biswas, Kakwani,
 * Vedurada, Enea and Lal, MonkeyDB, OOPSLA 2021.) Items stay what they are.
 *
 * A cell's writer is found through the versions that its row had: of two transactions that update different cells of
 * a row, neither hides the other.
 */
#ifndef PREDICT_CELLS_H
#define PREDICT_CELLS_H

#include "predict/dataflow.h"

/*
 * The history of cells, to be closed, in which each read says by its value whom it reads from, as in
 * dataflow_to_history(); and its dataflow, with the statements that were unjudged as rows and the reads that were
 * guessed.
 */
MUST_USE enum status dataflow_of_cells(struct dataflow *, const struct history *rows,
                                       struct history *cells, struct arena *, struct error *);

#endif
