/* Object stores and Delta snapshots, implemented in Rust. C++ callers use src/storage instead.
 *
 * Every function that can fail returns an ArStatus and, unless it is AR_OK or AR_NOT_DONE, sets
 * *message to a text that ar_message_free releases. Strings are UTF-8 and end in NUL. Paths are
 * decoded keys without a leading slash. Bytes that a function returns are released by
 * ar_bytes_free. "Packed" bytes hold integers as 8 bytes little-endian and strings as their length
 * and bytes. Handles may be used from any thread, uploads from one at a time. */
#ifndef ARIADNE_DELTA_H_
#define ARIADNE_DELTA_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ArStore ArStore;
typedef struct ArUpload ArUpload;
typedef struct ArTable ArTable;
struct ArrowSchema;
struct ArrowArrayStream;

typedef enum ArStatus {
  AR_OK = 0,
  AR_ERROR = 1,
  AR_NOT_FOUND = 2,
  AR_NOT_DONE = 3, /* the condition of the call does not hold; nothing was changed */
  AR_INVALID_TABLE = 4,
  AR_INVALID_ARGUMENT = 5
} ArStatus;

typedef struct ArBytes {
  uint8_t* data;
  size_t size;
  size_t capacity;
} ArBytes;

void ar_bytes_free(ArBytes* bytes);
void ar_message_free(char* message);

/* options_json: an object of strings, object_store's keys. Environment variables are defaults.
 * base_url: "file:///" or "s3://bucket/". */
int ar_store_open(const char* url, const char* options_json, ArStore** out, ArBytes* base_url,
                  char** message);
void ar_store_free(ArStore* store);
void ar_store_counters(const ArStore* store, int64_t* requests, int64_t* bytes_read,
                       int64_t* bytes_written);
/* Reads that the caller made through a file descriptor of its own. */
void ar_store_count_read(const ArStore* store, int64_t requests, int64_t bytes);

/* For tests. The nth change to any store of the process, counted from now, suffers: 1 it fails
 * undone, 2 it is done and reported as failed, 3 the process is killed before it, 4 after it,
 * 5 it waits 0.2 seconds. 6: before the nth change to the local disk (a created, written, synced,
 * renamed or removed file or folder; each put has several) the power fails: what was not synced is
 * taken back, and the process killed. 7: from the nth change on all are refused. 0: none.
 * ARIADNE_FAULT=kind:nth sets it from the environment. */
void ar_store_set_fault(int kind, int64_t nth);
/* Changes since then, of those that the kind counts. */
int64_t ar_store_fault_changes(void);

/* Packed: path, size, modified (ms), etag. */
int ar_head(const ArStore* store, const char* path, ArBytes* out, char** message);
/* The same of an open file of a local store, by its descriptor. */
int ar_file_meta(const ArStore* store, const char* path, int file, ArBytes* out, char** message);
/* The etag fits ar_put_if_match; on a local disk it names the content. */
int ar_get(const ArStore* store, const char* path, ArBytes* out, ArBytes* etag, char** message);
int ar_get_range(const ArStore* store, const char* path, int64_t offset, int64_t length,
                 uint8_t* into, int64_t* read, char** message);
int ar_put(const ArStore* store, const char* path, const uint8_t* data, size_t size,
           char** message);
int ar_put_if_absent(const ArStore* store, const char* path, const uint8_t* data, size_t size,
                     char** message);
int ar_put_if_match(const ArStore* store, const char* path, const uint8_t* data, size_t size,
                    const char* etag, char** message);
/* Packed records as of ar_head, sorted by path. prefix: a folder, "" for the root. */
int ar_list(const ArStore* store, const char* prefix, ArBytes* out, char** message);
/* Packed names directly below; folders end in '/'. */
int ar_list_names(const ArStore* store, const char* prefix, ArBytes* out, char** message);
int ar_delete(const ArStore* store, const char* path, char** message);
int ar_delete_folder(const ArStore* store, const char* prefix, char** message);

/* The store must outlive the upload. The object appears when ar_upload_finish succeeds. */
int ar_upload_begin(const ArStore* store, const char* path, ArUpload** out, char** message);
int ar_upload_write(ArUpload* upload, const uint8_t* data, size_t size, char** message);
int ar_upload_finish(ArUpload* upload, char** message);
void ar_upload_free(ArUpload* upload);

/* AR_NOT_FOUND: the folder is absent or empty. AR_INVALID_TABLE: it holds something else. */
int ar_table_open(const ArStore* store, const char* folder, ArTable** out, char** message);
/* Newest snapshot of the same table, by reading only what was committed since. */
int ar_table_refresh(const ArTable* table, ArTable** out, char** message);
void ar_table_free(ArTable* table);
/* JSON: {"version": …, "metaData": {…}, "protocol": {…}}, the actions as logged. */
int ar_table_describe(const ArTable* table, ArBytes* out, char** message);
int ar_table_schema(const ArTable* table, struct ArrowSchema* out, char** message);
/* AR_NOT_DONE: that application committed nothing yet. */
int ar_table_app_version(const ArTable* table, const char* app, int64_t* out, char** message);
/* Packed: path decoded, path as logged, size, modified (ms), number of records (-1 unknown),
 * 1 where the file has a deletion vector, statistics JSON. */
int ar_table_files(const ArTable* table, ArBytes* out, char** message);
/* For a reader of its own. Packed: path decoded, size, the number of partition columns that are not
 * NULL and of each its name in the log and its value, the number of rows that a deletion vector
 * takes away and the place of each in the file. */
int ar_table_scan_files(const ArTable* table, ArBytes* out, char** message);
/* columns_json: an array of names. The stream reads as it is pulled. */
int ar_table_read(const ArTable* table, const char* columns_json, struct ArrowArrayStream* out,
                  char** message);
int ar_table_checkpoint(const ArTable* table, char** message);

#ifdef __cplusplus
}
#endif

#endif /* ARIADNE_DELTA_H_ */
