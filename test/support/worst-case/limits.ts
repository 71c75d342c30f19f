/** Of attacks, the share that time or the machine may end; they show nothing. More, and the figures would be those of a slow machine. */
export const NOT_PLAYED_SHARE_MAX = 0.02;

/** Of the twins, which have a harmless text in the attack's place. */
export const TWINS_DONE_MIN = 0.97;
