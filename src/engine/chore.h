/* chore.h - what a step of a chore (chores.h) has come to. Private to this folder. */
#ifndef GRAMME_ENGINE_CHORE_H
#define GRAMME_ENGINE_CHORE_H

enum chore_state {
    CHORE_ASLEEP,  /* nothing to do before the next job */
    CHORE_WAITING, /* nothing to do now, but time may bring something: looks again in a second */
    CHORE_STEPPED, /* there may be more to do at once */
    CHORE_RESTING, /* the same, but others want the thread or its processor: goes on in a moment */
};

#endif
