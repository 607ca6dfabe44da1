/* pattern.c - compiles a regular expression to steps and runs all its paths side by side.
 *
 * A step takes one byte of a set, splits into two paths, jumps, or is the end. Fragments are
 * compiled by recursive descent; a counted repetition compiles its operand again for each count, so
 * the size of the program is what limits it. Memory: the caller's arena. */
#include "template/pattern.h"

enum {
    STEPS_MAX = 4000,
    GROUPS_MAX = 32,
    REPEAT_MAX = 1000,
    ATOMS_MAX = 50000, /* compiled, again and again included */
    SET_BYTES = 256 / 8,
};

enum step_kind { STEP_TAKE, STEP_SPLIT, STEP_JUMP, STEP_BEGIN, STEP_FINISH, STEP_MATCH };

struct step {
    enum step_kind kind;
    uint8_t set[SET_BYTES]; /* TAKE: the bytes that it takes */
    size_t to[2];           /* SPLIT: both ways; JUMP: to[0] */
};

struct compiler {
    struct slice pattern;
    size_t at;
    struct step *steps;
    size_t count;
    size_t groups; /* open ones */
    size_t atoms;
    bool failed; /* not understood */
};

static size_t emit(struct compiler *c, enum step_kind kind) {
    if (c->count == STEPS_MAX) {
        c->failed = true;
        return 0;
    }
    c->steps[c->count] = (struct step){.kind = kind};
    return c->count++;
}

static int peek(const struct compiler *c) {
    return c->at < c->pattern.len ? c->pattern.data[c->at] : -1;
}

static bool take(struct compiler *c, char wanted) {
    if (peek(c) != wanted)
        return false;
    c->at++;
    return true;
}

/* ---- sets of bytes ---- */

static void set_add(uint8_t *set, unsigned low, unsigned high) {
    for (unsigned byte = low; byte <= high; byte++)
        set[byte / 8] |= (uint8_t)(1 << byte % 8);
}

static void set_invert(uint8_t *set) {
    for (size_t i = 0; i < SET_BYTES; i++)
        set[i] = (uint8_t)~set[i];
}

/* What \d, \w or \s stands for; false for any other letter. */
static bool add_class(uint8_t *set, int letter) {
    uint8_t own[SET_BYTES] = {0};
    switch (letter | 0x20) {
    case 'd':
        set_add(own, '0', '9');
        break;
    case 'w':
        set_add(own, '0', '9');
        set_add(own, 'A', 'Z');
        set_add(own, 'a', 'z');
        set_add(own, '_', '_');
        break;
    case 's':
        set_add(own, '\t', '\r');
        set_add(own, ' ', ' ');
        break;
    default:
        return false;
    }
    if (!(letter & 0x20))
        set_invert(own);
    for (size_t i = 0; i < SET_BYTES; i++)
        set[i] |= own[i];
    return true;
}

/* The byte that an escape stands for, -1 when it is something else. */
static int escaped_byte(int letter) {
    switch (letter) {
    case 't':
        return '\t';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    default:
        break;
    }
    bool alphanumeric = (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') ||
                        (letter >= 'a' && letter <= 'z');
    return letter < 0 || alphanumeric ? -1 : letter;
}

/* One character of a class; -1 when it was a class such as \d, which is in the set then. */
static int class_byte(struct compiler *c, uint8_t *set) {
    int byte = peek(c);
    c->at++;
    if (byte != '\\') {
        c->failed = c->failed || byte < 0 || byte == '[' || (byte == '&' && peek(c) == '&');
        return byte;
    }
    int letter = peek(c);
    c->at++;
    if (letter >= 0 && add_class(set, letter))
        return -1;
    int plain = escaped_byte(letter);
    c->failed = c->failed || plain < 0;
    return plain;
}

static void compile_class(struct compiler *c) {
    size_t step = emit(c, STEP_TAKE);
    uint8_t set[SET_BYTES] = {0};
    bool inverted = take(c, '^');
    for (bool first = true; !c->failed && (first || peek(c) != ']'); first = false) {
        int low = class_byte(c, set);
        if (low < 0)
            continue;
        int high = low;
        bool range =
            peek(c) == '-' && c->at + 1 < c->pattern.len && c->pattern.data[c->at + 1] != ']';
        if (range) {
            c->at++;
            high = class_byte(c, set);
        }
        if (high < low)
            c->failed = true;
        else
            set_add(set, (unsigned)low, (unsigned)high);
    }
    c->at++;
    if (inverted)
        set_invert(set);
    memcpy(c->steps[step].set, set, SET_BYTES);
}

/* ---- the grammar: alternatives of sequences of repeated atoms ---- */

static void compile_alternatives(struct compiler *c);

static void compile_group(struct compiler *c) {
    if (take(c, '?') && !take(c, ':'))
        c->failed = true;
    if (++c->groups > GROUPS_MAX)
        c->failed = true;
    if (c->failed)
        return;
    compile_alternatives(c);
    c->groups--;
    if (!take(c, ')'))
        c->failed = true;
}

static void compile_escape(struct compiler *c) {
    int letter = peek(c);
    c->at++;
    size_t step = emit(c, STEP_TAKE);
    if (c->failed || (letter >= 0 && add_class(c->steps[step].set, letter)))
        return;
    int byte = escaped_byte(letter);
    if (byte < 0)
        c->failed = true;
    else
        set_add(c->steps[step].set, (unsigned)byte, (unsigned)byte);
}

static void compile_atom(struct compiler *c) {
    int byte = peek(c);
    c->at++;
    if (++c->atoms > ATOMS_MAX)
        c->failed = true;
    size_t step;
    switch (byte) {
    case '(':
        compile_group(c);
        return;
    case '[':
        compile_class(c);
        return;
    case '\\':
        compile_escape(c);
        return;
    case '^':
        emit(c, STEP_BEGIN);
        return;
    case '$':
        emit(c, STEP_FINISH);
        return;
    case '*':
    case '+':
    case '?':
    case '{':
        c->failed = true;
        return;
    default:
        step = emit(c, STEP_TAKE);
        if (c->failed)
            return;
        set_add(c->steps[step].set, (unsigned)byte, (unsigned)byte);
        if (byte == '.') {
            memset(c->steps[step].set, 0xff, SET_BYTES);
            c->steps[step].set['\n' / 8] &= (uint8_t) ~(1 << '\n' % 8);
        }
    }
}

static size_t take_number(struct compiler *c) {
    size_t number = 0, digits = 0;
    while (peek(c) >= '0' && peek(c) <= '9' && digits < 5) {
        number = number * 10 + (size_t)(peek(c) - '0');
        c->at++;
        digits++;
    }
    if (digits == 0 || number > REPEAT_MAX)
        c->failed = true;
    return number;
}

struct repeat {
    size_t least;
    size_t most; /* SIZE_MAX: no limit */
};

static struct repeat take_repeat(struct compiler *c) {
    struct repeat repeat = {1, 1};
    if (take(c, '*'))
        repeat = (struct repeat){0, SIZE_MAX};
    else if (take(c, '+'))
        repeat = (struct repeat){1, SIZE_MAX};
    else if (take(c, '?'))
        repeat = (struct repeat){0, 1};
    else if (take(c, '{')) {
        repeat.least = take_number(c);
        repeat.most = repeat.least;
        if (take(c, ','))
            repeat.most = peek(c) == '}' ? SIZE_MAX : take_number(c);
        if (!take(c, '}') || repeat.most < repeat.least)
            c->failed = true;
    } else {
        return repeat;
    }
    /* Lazy and possessive forms match the same whole texts, but for the latter not quite. */
    take(c, '?');
    if (peek(c) == '+' || peek(c) == '*' || peek(c) == '?' || peek(c) == '{')
        c->failed = true;
    return repeat;
}

/* Compiles the atom that begins at `from` once more. */
static void compile_again(struct compiler *c, size_t from) {
    size_t at = c->at;
    c->at = from;
    compile_atom(c);
    c->at = at;
}

static void compile_optional(struct compiler *c, size_t from, bool loop) {
    size_t split = emit(c, STEP_SPLIT);
    compile_again(c, from);
    if (loop)
        c->steps[emit(c, STEP_JUMP)].to[0] = split;
    c->steps[split].to[0] = split + 1;
    c->steps[split].to[1] = c->count;
}

static void compile_repeated(struct compiler *c) {
    size_t from = c->at, begin = c->count;
    compile_atom(c);
    if (c->failed)
        return;
    struct repeat repeat = take_repeat(c);
    if (repeat.least == 1 && repeat.most == 1)
        return;
    c->count = begin;
    for (size_t i = 0; i < repeat.least && !c->failed; i++)
        compile_again(c, from);
    if (repeat.most == SIZE_MAX && !c->failed)
        compile_optional(c, from, true);
    for (size_t i = repeat.least; repeat.most != SIZE_MAX && i < repeat.most && !c->failed; i++)
        compile_optional(c, from, false);
}

static void compile_alternatives(struct compiler *c) {
    size_t jumps[GROUPS_MAX], jump_count = 0;
    for (;;) {
        size_t split = emit(c, STEP_SPLIT);
        while (!c->failed && peek(c) >= 0 && peek(c) != '|' && peek(c) != ')')
            compile_repeated(c);
        if (c->failed || jump_count == GROUPS_MAX) {
            c->failed = true;
            return;
        }
        c->steps[split].to[0] = split + 1;
        c->steps[split].to[1] = split + 1;
        if (!take(c, '|'))
            break;
        jumps[jump_count++] = emit(c, STEP_JUMP);
        c->steps[split].to[1] = c->count;
    }
    for (size_t i = 0; i < jump_count; i++)
        c->steps[jumps[i]].to[0] = c->count;
}

/* ---- running ---- */

struct path_set {
    size_t *list;
    size_t count;
    uint32_t *seen; /* by step: the round in which it was added */
};

struct runner {
    const struct step *steps;
    size_t *stack; /* each step is pushed at most twice a round */
    uint32_t round;
    bool at_begin;
    bool at_end;
};

static void push(const struct path_set *paths, struct runner *r, size_t *depth, size_t step) {
    if (paths->seen[step] == r->round)
        return;
    paths->seen[step] = r->round;
    r->stack[(*depth)++] = step;
}

/* Adds a step and all that it leads to without taking a byte. */
static void add_path(struct runner *r, struct path_set *paths, size_t first) {
    size_t depth = 0;
    push(paths, r, &depth, first);
    while (depth > 0) {
        size_t at = r->stack[--depth];
        const struct step *step = &r->steps[at];
        if (step->kind == STEP_TAKE || step->kind == STEP_MATCH) {
            paths->list[paths->count++] = at;
        } else if (step->kind == STEP_JUMP) {
            push(paths, r, &depth, step->to[0]);
        } else if (step->kind == STEP_SPLIT) {
            push(paths, r, &depth, step->to[0]);
            push(paths, r, &depth, step->to[1]);
        } else if (step->kind == STEP_BEGIN ? r->at_begin : r->at_end) {
            push(paths, r, &depth, at + 1);
        }
    }
}

static struct path_set path_set_new(struct arena *arena, size_t steps) {
    return (struct path_set){.list = ARENA_ARRAY(arena, size_t, steps),
                             .seen = ARENA_ARRAY(arena, uint32_t, steps)};
}

static bool run(struct arena *arena, const struct compiler *c, struct slice text) {
    struct runner r = {.steps = c->steps, .stack = ARENA_ARRAY(arena, size_t, c->count)};
    struct path_set now = path_set_new(arena, c->count), next = path_set_new(arena, c->count);
    r.round = 1;
    r.at_begin = true;
    r.at_end = text.len == 0;
    add_path(&r, &now, 0);
    for (size_t at = 0; at < text.len; at++) {
        uint8_t byte = text.data[at];
        next.count = 0;
        r.round++;
        r.at_begin = false;
        r.at_end = at + 1 == text.len;
        for (size_t i = 0; i < now.count; i++) {
            const struct step *step = &r.steps[now.list[i]];
            if (step->kind == STEP_TAKE && (step->set[byte / 8] >> byte % 8 & 1) != 0)
                add_path(&r, &next, now.list[i] + 1);
        }
        struct path_set swapped = now;
        now = next;
        next = swapped;
    }
    for (size_t i = 0; i < now.count; i++)
        if (r.steps[now.list[i]].kind == STEP_MATCH)
            return true;
    return false;
}

enum pattern_outcome pattern_match(struct arena *arena, struct slice pattern, struct slice text) {
    struct compiler c = {.pattern = pattern, .steps = ARENA_ARRAY(arena, struct step, STEPS_MAX)};
    compile_alternatives(&c);
    emit(&c, STEP_MATCH);
    if (c.failed || c.at < pattern.len)
        return PATTERN_NOT_UNDERSTOOD;
    return run(arena, &c, text) ? PATTERN_MATCHES : PATTERN_DIFFERS;
}
