/**
 * How much work an agent keeps in mind. The record has all of it; these bounds hold for memory and for one record.
 *
 * A work item with every bound reached takes some 30 KB, an ordinary one 2 KB.
 */

/** Items that are neither ended nor deleted. More is no plan that a person could follow; at 2 KB each they take 1 MB. */
export const OPEN_ITEMS_MAX = 500;

/** Ended items, the newest ones: what a page of months shows. Older ones are in the record. */
export const ENDED_ITEMS_KEPT = 500;

/** Endeavours that are not ended: each is weeks of work, and all of them stand in the list that a specialist reads. */
export const OPEN_ENDEAVOURS_MAX = 50;

/** Ended endeavours, the newest ones. */
export const ENDED_ENDEAVOURS_KEPT = 100;

/** Deleted ones that are known by id, with their reason: who asks for one is told that it is deleted, and why. */
export const TOMBSTONES_KEPT = 500;

/** Steps of an item. A longer item is an endeavour. */
export const STEPS_MAX = 40;

/** Items that one item waits for. */
export const DEPENDENCIES_MAX = 20;

/** Risks of an item: D′ counts no more than three of them. */
export const RISKS_MAX = 20;

/** Phases of an endeavour. */
export const PHASES_MAX = 20;

/** Work sessions of an endeavour, the newest ones: a daily session for two months. */
export const SESSIONS_KEPT = 60;

/** Blockers of an endeavour that are not resolved. */
export const OPEN_BLOCKERS_MAX = 20;

/** Resolved blockers of an endeavour, the newest ones. */
export const RESOLVED_BLOCKERS_KEPT = 20;

/** People who are told about an endeavour. */
export const STAKEHOLDERS_MAX = 10;

/** Criteria by which an endeavour counts as a success. */
export const CRITERIA_MAX = 20;

/** Cycles that worked on an item, the newest ones, by id; all of them are counted. */
export const CYCLE_IDS_KEPT = 20;

/** Characters of a title or a name: one line of a list. */
export const TITLE_CHARACTERS_MAX = 120;

/** Characters of one sentence or two: a step, a risk, a reason, a criterion. */
export const LINE_CHARACTERS_MAX = 400;

/** Characters of a description or a goal. A longer text belongs in a file of the workspace. */
export const TEXT_CHARACTERS_MAX = 2_000;

/** Texts in one list of an appraisal: three or four are read, and the rest is repetition. */
export const APPRAISAL_LINES_MAX = 10;

/** Tokens of one work session. A session with more of them is several. */
export const SESSION_TOKENS_MAX = 1_000_000;

/** Of a session that names none: a run of one subtask with its checks. */
export const SESSION_TOKENS = 100_000;
