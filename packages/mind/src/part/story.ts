/** The data types of a told run. `tell-run.ts` makes them from records, and `render-story.ts` turns them into lines. */

/** The tone of a step: a colour on a terminal, nothing without one. */
export type Tone = 'Plain' | 'Quiet' | 'Good' | 'Warning' | 'Bad';

export interface StoryLine {
  readonly tone: Tone;
  readonly text: string;
}

/** Who acted: a role by its name for people, as `planner`; `run`, `person`; or `gate`, whose verdicts people look for. */
export type Actor = string;

export interface StoryText {
  readonly title: string;
  readonly text: string;
}

export interface StoryStep {
  readonly store: string;
  readonly seq: number;
  readonly order: number;
  readonly epoch: number;
  readonly kind: string;
  readonly atMs: number;
  readonly actor: Actor;
  readonly tone: Tone;
  /** One line. */
  readonly text: string;
  /** Numbers and reasons, one line each. */
  readonly details: readonly string[];
  /** Whole texts, shown on request. */
  readonly texts: readonly StoryText[];
  /** The line while a person watches the run; absent for records that nobody waits for. */
  readonly live?: string;
}

/** The description of a record. The teller adds place and time. */
export interface Telling {
  readonly actor: Actor;
  readonly tone: Tone;
  readonly text: string;
  readonly details?: readonly string[];
  readonly texts?: readonly StoryText[];
  /** Shown while a person watches the run: true for `text` itself, or a shorter line. */
  readonly live?: true | string;
}

/** Knowledge from earlier records that a record itself lacks. */
export interface StoryContext {
  /** Role of each cycle, in lower case, by cycle id. */
  readonly roles: Map<string, Actor>;
  /** Short id of the cycle's subtask, by cycle id. */
  readonly subtasks: Map<string, string>;
  /** Tool of each call, by call id. */
  readonly tools: Map<string, string>;
  /** Rule that let a call through, by call id. */
  readonly rules: Map<string, string>;
}
