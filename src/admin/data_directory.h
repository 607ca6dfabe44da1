/* data_directory.h - the directory given with --data: made when it is new, refused when it is not
 * ours or not meant to be opened this way.
 *
 * It holds a file `GRAMME` with one line, "gramme data, format N", which says that the directory is
 * gramme's and how to read it, before anything else is opened:
 *   1   plain: the store's files are in `store/`
 *   2   encrypted: they are in `encrypted/`, under a key in the file `KEY` (key_file.h)
 * The file changes in one step, and so does the directory with it: a conversion fills the other
 * store first. What is left of one that was cut short is removed by data_directory_settle. A
 * directory that is being filled by a restore has a file `RESTORING` instead, and is not a data
 * directory yet. */
#ifndef GRAMME_ADMIN_DATA_DIRECTORY_H
#define GRAMME_ADMIN_DATA_DIRECTORY_H

#include "admin/master_key.h"

struct data_directory {
    const char *path;
    const char *store_path;  /* NUL-terminated, in the arena as the path is */
    const char *reserve;     /* likewise: the path of a file for the store's use */
    struct keyring *keyring; /* the directory's own; NULL: it is plain */
};

void data_directory_release(struct data_directory *data);

/* Prepares the directory. A store's directory that is empty is a database that was never made,
 * whose making a crash cut short. `key` is NULL for a plain one; nothing is touched in a directory
 * that the key does not fit. */
struct error *data_directory_open(struct arena *arena, const char *directory,
                                  const struct master_key *key, struct data_directory *ret_data);
/* The same for one that must be there; nothing is made. */
struct error *data_directory_find(struct arena *arena, const char *directory,
                                  const struct master_key *key, struct data_directory *ret_data);
/* The same for one whose marker may be lost: then it is what the key says. */
struct error *data_directory_find_damaged(struct arena *arena, const char *directory,
                                          const struct master_key *key,
                                          struct data_directory *ret_data);
/* With its store open, so that no conversion is under way: an error when the directory has been
 * converted since it was looked at. Removes the other store. */
struct error *data_directory_settle(struct arena *arena, const struct data_directory *data);

/* Whether it is encrypted, of one that must be there. */
struct error *data_directory_is_encrypted(struct arena *arena, const char *directory,
                                          bool *ret_encrypted);

/* ---- a directory that is made of something else ---- */

/* What is worked on in one that is being filled, and removed before it is. */
#define DATA_SCRATCH "salvage"

/* Makes a directory to be filled, with an empty store's directory. What a fill that was cut short
 * left there is removed; anything else in it is an error, and so is a fill by another process. The
 * lock that keeps others out goes with the file descriptor. */
struct error *data_directory_fill(struct arena *arena, const char *directory,
                                  const struct master_key *key, struct data_directory *ret_data,
                                  int *ret_lock);
/* Makes it a data directory; its store is durable already. */
struct error *data_directory_filled(struct arena *arena, const struct data_directory *data);

/* Makes the empty store that `data` is to be converted to, plain when there is no key. */
struct error *data_directory_prepare(struct arena *arena, const struct data_directory *data,
                                     const struct master_key *key, struct data_directory *ret_data);
/* From here on the directory is what was prepared; its store is durable already. */
struct error *data_directory_switch(struct arena *arena, const struct data_directory *prepared);

/* Whether it is one, or was: not if its making was cut short before anything was kept in it. */
bool data_directory_is_begun(struct arena *arena, const char *directory);

/* Whether there is nothing in it at all. */
struct error *data_directory_is_empty(struct arena *arena, const char *directory, bool *ret_empty);

#endif
