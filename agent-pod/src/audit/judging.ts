/**
 * The auditor's side of judging: starts a batch when records have settled, beside the looks, and takes up what it found.
 *
 * I1  One batch at a time, and none if nothing is new. After a batch, judging rests for {@link REST_MS}, and for
 *     {@link REST_FACTOR} times as long as the batch took: it never takes more than a twentieth of a core.
 * I2  A batch that fails is a finding until one succeeds; the next one judges the same records.
 */
import type { Clock } from '@retainer/contract/std/clock';
import { JOURNAL_ITSELF, type Finding } from './finding.ts';
import type { JudgeAnswer, JudgedEnd, JudgeRequest } from './judge-records.ts';
import { CONFIGURED_STORE, LOOK_MS_MAX, noVerdicts, type VerdictFigures } from './verdict-audit.ts';

export type Judge = (request: JudgeRequest) => Promise<JudgeAnswer>;

export interface JudgingFigures extends VerdictFigures {
  readonly runsTotal: Readonly<Record<'equal' | 'different' | 'other', number>>;
}

export const noJudging: JudgingFigures = { ...noVerdicts, runsTotal: { equal: 0, different: 0, other: 0 } };

export type SavedJudging = Pick<JudgeRequest, 'verdicts' | 'runs'>;

export interface JudgingOptions {
  readonly judge: Judge;
  readonly clock: Clock;
  /** The journal's. */
  readonly directory: string;
  readonly characterFiles: readonly string[];
  readonly once: boolean;
  readonly saved: SavedJudging;
}

const REST_MS = LOOK_MS_MAX;
const REST_FACTOR = 20;
/** A batch of the longest time still ends in time for the next one. */
const REST_MS_MAX = 30_000;

export class Judging {
  readonly #options: JudgingOptions;
  #saved: SavedJudging;
  #open: readonly Finding[];
  #fresh: Finding[] = [];
  #figures = noJudging;
  #bornAtOrder: number | undefined;
  /** Where the last whole batch ended. */
  #judgedTo = '';
  #nextAtMs = -Infinity;
  #running: Promise<void> | undefined;
  #failed: readonly Finding[] = [];
  #isChanged = false;

  constructor(options: JudgingOptions) {
    this.#options = options;
    this.#saved = options.saved;
    this.#open = [...(options.saved.verdicts?.open ?? []), ...(options.saved.runs?.open ?? [])];
  }

  get open(): readonly Finding[] {
    return [...this.#open, ...this.#failed];
  }

  get figures(): JudgingFigures {
    return this.#figures;
  }

  /** Starts a batch if one is due. @returns findings since the last call */
  look(ends: readonly JudgedEnd[]): readonly Finding[] {
    this.#bornAtOrder ??= Math.max(-1, ...ends.map(({ order }) => order));
    const to = ends.map(({ segment, endBytes, lineHash }) => `${segment} ${endBytes} ${lineHash}`).join();
    const hasRecords = ends.some(({ store, segment }) => store !== CONFIGURED_STORE && segment !== '');
    const isDue = hasRecords && to !== this.#judgedTo && this.#options.clock.monotonicMs() >= this.#nextAtMs;
    if (isDue) this.#running ??= this.#batch(ends, to);
    return this.#fresh.splice(0);
  }

  /** For a copy: judges everything. @throws when it cannot */
  async lookOnce(ends: readonly JudgedEnd[]): Promise<readonly Finding[]> {
    await this.#judge(ends);
    return this.#fresh.splice(0);
  }

  /** Resolves when no batch is running. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Undefined if unchanged since the last call. */
  save(): SavedJudging | undefined {
    if (!this.#isChanged) return undefined;
    this.#isChanged = false;
    return this.#saved;
  }

  async #batch(ends: readonly JudgedEnd[], to: string): Promise<void> {
    const { clock } = this.#options;
    const startMs = clock.monotonicMs();
    try {
      if (await this.#judge(ends)) this.#judgedTo = to;
      this.#failed = [];
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    } finally {
      const nowMs = clock.monotonicMs();
      const restMs = Math.min(REST_MS_MAX, Math.max(REST_MS, REST_FACTOR * (nowMs - startMs)));
      this.#nextAtMs = nowMs + restMs;
      this.#running = undefined;
    }
  }

  #fail(why: string): void {
    const failed = { kind: 'CannotRecompute', store: JOURNAL_ITSELF, detail: `a batch failed: ${why}` } as const;
    if (this.#failed.length === 0) this.#fresh.push(failed);
    this.#failed = [failed];
  }

  /** @returns whether everything is judged */
  async #judge(ends: readonly JudgedEnd[]): Promise<boolean> {
    const { directory, characterFiles, once, judge } = this.#options;
    const bornAtOrder = this.#bornAtOrder ?? -1;
    const request = { directory, characterFiles, once, bornAtOrder, ends };
    const answer = await judge({ ...request, ...this.#saved });
    const { verdicts, runs, counts, open, fresh, isDone } = answer;
    this.#saved = { ...(verdicts === undefined ? {} : { verdicts }), runs };
    this.#open = open;
    this.#fresh.push(...fresh);
    this.#isChanged = true;
    this.#count(counts);
    return isDone;
  }

  #count({ verdicts, otherRulesCycles, verdictsLastSeq, ...runs }: JudgeAnswer['counts']): void {
    const { verdictsTotal, otherRulesCyclesTotal, runsTotal } = this.#figures;
    this.#figures = {
      verdictsTotal: verdictsTotal + verdicts,
      otherRulesCyclesTotal: otherRulesCyclesTotal + otherRulesCycles,
      lastSeq: verdictsLastSeq,
      runsTotal: {
        equal: runsTotal.equal + runs.runsEqual,
        different: runsTotal.different + runs.runsDifferent,
        other: runsTotal.other + runs.runsOther,
      },
    };
  }
}
