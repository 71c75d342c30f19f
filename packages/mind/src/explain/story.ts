/** The words of a told run: what `tell-run.ts` makes of records and `render-story.ts` makes lines of. Plain data. */

/** How a step reads: colour on a terminal, nothing without one. */
export type Tone = 'Plain' | 'Quiet' | 'Good' | 'Warning' | 'Bad';

export interface StoryLine {
  readonly tone: Tone;
  readonly text: string;
}

/**
 * Who acted: a role as people are told it, such as `planner` or `coder`; or `run`, `person`, and `gate`, which is told apart
 * because its verdicts are what people look for.
 */
export type Actor = string;

export interface StoryText {
  readonly title: string;
  readonly text: string;
}

/** One record, told. */
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
  /** Whole texts: shown when asked for. */
  readonly texts: readonly StoryText[];
  /** The line while the run is watched; absent for what nobody waits for. */
  readonly live?: string;
}

/** What a describer says of a record; place and time are added by the teller. */
export interface Telling {
  readonly actor: Actor;
  readonly tone: Tone;
  readonly text: string;
  readonly details?: readonly string[];
  readonly texts?: readonly StoryText[];
  /** Shown while a run is watched: true for `text` itself, or a shorter line. */
  readonly live?: true | string;
}

/** What a record alone does not say: learnt from the records before it. */
export interface StoryContext {
  /** Role of each cycle, in lower case, by cycle id. */
  readonly roles: Map<string, Actor>;
  /** Subtask that a cycle is about, in short, by cycle id. */
  readonly subtasks: Map<string, string>;
  /** Tool of each call, by call id. */
  readonly tools: Map<string, string>;
  /** Rule that let a call through, by call id. */
  readonly rules: Map<string, string>;
}
