/** What may happen in the life of an agent, and lives drawn of it. */
import fc from 'fast-check';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** What a Task of the life comes to; the model of `lives.ts` knows each by the id of its run. */
export const TASK_KINDS = [
  'works',
  'fails',
  'says',
  'forbids',
  'sends',
  'asks',
  'wonders',
  'notes',
  'hears',
  'keeps',
  'codes',
  'crashes',
  'spends',
  'risks',
  'plans',
] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/** What a life may be asked to do later; `life-jobs.ts` has each. */
export const JOB_KINDS_OF_LIFE = ['call', 'errand', 'tea', 'news', 'watch'] as const;
export type JobOfLife = (typeof JOB_KINDS_OF_LIFE)[number];

/** Letters of a life; `life-mail.ts` has each. */
export const LETTER_KINDS_OF_LIFE = ['asks', 'waits', 'silent', 'stranger', 'list'] as const;
export type LetterOfLife = (typeof LETTER_KINDS_OF_LIFE)[number];

export type Step =
  | { readonly does: 'Task'; readonly kind: TaskKind; readonly isLimited: boolean }
  /** To the request or the question that waits longest. */
  | { readonly does: 'Answer'; readonly isYes: boolean }
  | { readonly does: 'Cancel' }
  | { readonly does: 'Remember'; readonly key: string }
  | { readonly does: 'ForgetFact'; readonly key: string }
  | { readonly does: 'ForgetRun' }
  | { readonly does: 'Dream' }
  | { readonly does: 'Job'; readonly kind: JobOfLife }
  /** A person's, about the oldest job that it can be about. */
  | { readonly does: 'Word'; readonly word: 'PauseJob' | 'ResumeJob' | 'CancelJob' }
  | { readonly does: 'Letter'; readonly kind: LetterOfLife }
  /** A person's, about the letter that waits longest. */
  | { readonly does: 'Release' }
  | { readonly does: 'Pass'; readonly forMs: number }
  /** As the watch over the second copy records it; absent: the copy is current again. */
  | { readonly does: 'Copy'; readonly copy: 'Commit' | 'Push'; readonly why?: 'Late' | 'Diverged' }
  /** `isRestored`: the directory that it goes on with was restored from a commit. */
  | { readonly does: 'Restart'; readonly downMs: number; readonly isRestored?: boolean };

const key = fc.constantFrom('rain', 'price', 'owner');

/** Whole numbers of milliseconds, so that minutes, hours and days begin anywhere. */
const span = (fromMs: number, toMs: number) => fc.integer({ min: fromMs, max: toMs });

const late = { does: 'Copy', copy: 'Commit', why: 'Late' } as const;
const unpushed = { does: 'Copy', copy: 'Push', why: 'Late' } as const;
const diverged = { does: 'Copy', copy: 'Push', why: 'Diverged' } as const;
const copySteps: readonly Step[] = [
  ...[late, unpushed, diverged, { does: 'Copy', copy: 'Commit' } as const, { does: 'Copy', copy: 'Push' } as const],
];

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      does: fc.constant('Task' as const),
      kind: fc.constantFrom(...TASK_KINDS),
      isLimited: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('Answer' as const), isYes: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ does: 'Cancel' as const }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('Remember' as const), key }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('ForgetFact' as const), key }) },
  { weight: 1, arbitrary: fc.constant({ does: 'ForgetRun' as const }) },
  { weight: 1, arbitrary: fc.constant({ does: 'Dream' as const }) },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('Pass' as const),
      forMs: fc.oneof(span(0, 5 * MINUTE_MS), span(0, 5 * HOUR_MS), span(0, 2 * DAY_MS), span(0, 40 * DAY_MS)),
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom(...copySteps) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('Job' as const), kind: fc.constantFrom(...JOB_KINDS_OF_LIFE) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('Letter' as const), kind: fc.constantFrom(...LETTER_KINDS_OF_LIFE) }),
  },
  { weight: 1, arbitrary: fc.constant({ does: 'Release' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('Word' as const),
      word: fc.constantFrom('PauseJob' as const, 'ResumeJob' as const, 'CancelJob' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('Restart' as const),
      downMs: fc.oneof(fc.constant(0), span(0, 2 * HOUR_MS)),
      isRestored: fc.boolean(),
    }),
  },
);

export interface Life {
  readonly steps: readonly Step[];
  /** Of the hour in which it begins: just before a midnight, or any. */
  readonly startMs: number;
  readonly charactersMax: number;
  /** 0: none. */
  readonly tokensPerHour: number;
  readonly tokensPerDay: number;
}

const NIGHT_MS = Date.UTC(2030, 0, 1);

/** The same again and again: what is told of a row needs one. */
const burst: fc.Arbitrary<readonly Step[]> = fc
  .tuple(fc.constantFrom<TaskKind>('says', 'risks', 'crashes', 'fails', 'works'), fc.integer({ min: 3, max: 6 }))
  .map(([kind, times]) => Array<Step>(times).fill({ does: 'Task', kind, isLimited: false }));

const stretch: fc.Arbitrary<readonly Step[]> = fc.oneof(
  { weight: 12, arbitrary: steps.map((step) => [step]) },
  { weight: 1, arbitrary: burst },
);

export const lives = (stretchesMin: number, stretchesMax: number): fc.Arbitrary<Life> =>
  fc.record({
    steps: fc.array(stretch, { minLength: stretchesMin, maxLength: stretchesMax }).map((it) => it.flat()),
    startMs: fc.oneof(span(NIGHT_MS - 10 * MINUTE_MS, NIGHT_MS), span(NIGHT_MS, NIGHT_MS + DAY_MS)),
    charactersMax: fc.constantFrom(2800, 8000),
    tokensPerHour: fc.constantFrom(0, 60_000, 1_000_000),
    tokensPerDay: fc.constantFrom(0, 100_000),
  });

const task = (kind: TaskKind, isLimited = false): Step => ({ does: 'Task', kind, isLimited });
const tasks = (kind: TaskKind, times: number): readonly Step[] => Array<Step>(times).fill(task(kind));
const pass = (forMs: number): Step => ({ does: 'Pass', forMs });

const job = (kind: JobOfLife): Step => ({ does: 'Job', kind });
const word = (it: Extract<Step, { does: 'Word' }>['word']): Step => ({ does: 'Word', word: it });

/** A calendar with all that can stand in one: some of it fires, is skipped, waits for people, is paused, resumed and cancelled. */
const calendar: readonly Step[] = [
  ...[
    ...JOB_KINDS_OF_LIFE.map(job),
    job('errand'),
    word('PauseJob'),
    task('works'),
    pass(40 * MINUTE_MS),
    task('works'),
  ],
  ...[pass(20 * MINUTE_MS), task('notes'), pass(3 * HOUR_MS), word('ResumeJob'), task('works'), pass(2 * HOUR_MS)],
  ...[task('works'), job('call'), word('CancelJob'), task('works'), word('PauseJob')],
];

/** Of each kind of letter one; a held one is released. */
const letters: readonly Step[] = [
  ...LETTER_KINDS_OF_LIFE.map((kind): Step => ({ does: 'Letter', kind })),
  ...[task('works'), pass(MINUTE_MS), { does: 'Release' } as const, task('works')],
];

/** Several runs wait for people while others work. */
const busy: readonly Step[] = [
  ...[task('sends', true), pass(7 * MINUTE_MS), task('asks'), task('sends'), pass(95 * MINUTE_MS), task('wonders')],
  ...[task('works', true), { does: 'Answer', isYes: true } as const, { does: 'Answer', isYes: false } as const],
];

const plain = { startMs: NIGHT_MS - MINUTE_MS, charactersMax: 2800, tokensPerHour: 1_000_000, tokensPerDay: 2_000_000 };

export const busyLife: Life = { steps: [...calendar, ...busy], ...plain };

/** A life in which there is something to tell of everything that these lives can have. */
export const fullLife: Life = {
  steps: [
    ...[...busy, task('notes'), task('hears'), task('keeps'), { does: 'Remember', key: 'rain' } as const],
    ...[pass(3 * HOUR_MS), task('plans', true), { does: 'Restart', downMs: MINUTE_MS } as const],
    ...[...tasks('says', 4), ...tasks('crashes', 3), task('codes'), ...tasks('fails', 3), task('spends')],
    ...[...tasks('risks', 6), task('forbids'), task('forbids'), ...calendar, ...letters],
    ...[pass(40 * DAY_MS), { does: 'Dream' } as const, pass(2 * DAY_MS), task('works')],
    ...[late, unpushed, task('works'), diverged, { does: 'Copy', copy: 'Commit' } as const, task('works')],
    ...[
      { does: 'Restart', downMs: MINUTE_MS, isRestored: true } as const,
      task('works'),
      pass(8 * DAY_MS),
      task('works'),
    ],
  ],
  ...plain,
};
