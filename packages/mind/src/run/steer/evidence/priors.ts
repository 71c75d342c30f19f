/**
 * What is believed of a part before anything was tried, and how far looks may deceive. Set by hand from what the words mean, and
 * fitted to no simulation: a fit to one world lost a fifth of the tasks in another.
 *
 * Source: design 5
 */

/** A part that nobody can do: no tool is able, or no target holds it. */
export const CANNOT = 0.1;

/** A part in which each pair works by itself, so that neither tool nor target explains anything. */
export const ODD = 0.15;

/** Such a pair works. */
export const ODD_WORKS = 0.2;

/** The first tool is able: a planner tries the most plausible first. And any other tool. */
export const FIRST_ABLE = 0.7;
export const ABLE = 0.5;

/** The first target holds what is sought; and any other target. */
export const FIRST_HOLDS = 0.7;
export const HOLDS = 0.3;

/** Most tools that are thought able to serve one part, and targets that it may have. */
export const TOOLS_MAX = 4;
export const TARGETS_MAX = 6;

/** A tool fails by chance often; how often such a tool does, and any other. */
export const FLAKY = 0.15;
export const FLAKES_OFTEN = 0.6;
export const FLAKES_SELDOM = 0.05;

/** A wrong tool that looks like a wrong target, and the other way round. */
export const MISLEADS = 0.2;

/** A pair that works, and the attempt is found wrong. */
export const MISSES = 0.02;

/** A pair that does not work, and the attempt is found right. */
export const FALSELY_RIGHT = 1e-6;

/** Tools of one part that are weighed, newest first: 4 to the power of it are added up. */
export const WEIGHED_TOOLS_MAX = 5;
