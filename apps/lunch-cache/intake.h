/* intake.h - a week's menu as a parser or a person writes it, checked and made an item.
 *
 *   {"restaurant": "niagara", "year": 2025, "week": 3, "lunches": [...],
 *    "source": "niagara-parser", "lastUpdated": "2025-01-20T08:00:00.000Z"}
 *
 * The last two may be left out. */
#ifndef LUNCH_CACHE_INTAKE_H
#define LUNCH_CACHE_INTAKE_H

#include "common/app.h"

/* The item, yours to free, with the lunches that are right; it may have none. NULL, with what is
 * wrong ("has no year from 2000 to 9999"), when it is no menu. */
struct ddb_item *intake_menu(const struct ddb_item *given, int64_t lifetime_s,
                             const char **ret_problem);

/* The place of the same restaurant and week among the first `count` menus; `count` when it is not
 * there. Which of two would be meant? */
size_t intake_place(struct ddb_item *const *menus, size_t count, const struct ddb_item *menu);

#endif
