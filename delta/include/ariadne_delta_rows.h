/* Rows that Delta tables delete without writing their files anew: a part of the C ABI, see
 * ariadne_delta.h. */
#ifndef ARIADNE_DELTA_ROWS_H
#define ARIADNE_DELTA_ROWS_H

#include "ariadne_delta.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Packed, of each live file that deletion vectors take rows of: path decoded, number of those rows,
 * their places from 0 on, ascending. */
int ar_table_deleted_rows(const ArTable* table, ArBytes* out, char** message);

#ifdef __cplusplus
}
#endif

#endif
