/** What a cycle is told of the agent, in a life in which each text of a model, a page or a person carries a mark of its own. */
import { beforeAll, describe, expect } from 'vitest';
import type { JournalRecord } from '@retainer/journal/journal';
import { allMarks, liveMarked, mark, marksIn, startsOf } from '../support/marked-life.ts';
import { verifies } from '../verifies.ts';

/** Some marks, and where the record has to have them; the others are anywhere in it. */
const REACHED: readonly (readonly [kind: string, ...names: readonly string[]])[] = [
  ['cycle/CallAnswered', 'invented', 'inventedLater', 'answer'],
  ['cycle/ToolFinished', 'page', 'stdout', 'stderr', 'missing', 'listed'],
  ['cycle/ToolRequested', 'script', 'path', 'note', 'content'],
  ['cycle/ApprovalRequested', 'question', 'note'],
  ['cycle/ApprovalDecided', 'answer', 'approval'],
  ['run/QuestionAsked', 'asked'],
  [
    'run/MessageSent',
    'perceived',
    'slug',
    'instruction',
    'errand',
    'context',
    'criterion',
    'verdict',
    'lacking',
    'move',
  ],
  ['run/CycleConcluded', 'worker', 'wrong', 'advice', 'done', 'reply', 'inventedInput'],
  ['run/RunCancelled', 'cancel', 'person'],
  ['narrative/RunRemembered', 'invented', 'intent'],
  ['narrative/RunReflected', 'prose', 'wish', 'domain', 'keyword', 'entity', 'topic'],
  ['narrative/RunImported', 'foreignProse', 'foreignDomain', 'foreignKeyword', 'foreignId', 'import'],
  ['thread/ThreadJoined', 'path', 'listed', 'factKey', 'cleanDomain'],
  ['case/CaseWritten', 'approach', 'assessment', 'pitfall', 'lacking', 'instruction'],
  ['fact/FactWritten', 'factKey', 'factValue', 'cleanKey', 'cleanValue', 'personKey', 'personValue', 'why'],
  ['artifact/ArtifactKept', 'long'],
  ['megram/MegramWritten', 'verdict', 'script', 'perceived'],
  ['megram/MegramLearned', 'lesson', 'tag', 'teaching'],
  ['agent/FalsePositiveReported', 'rule', 'report'],
  ['archive/ArchiveAnswered', 'thought'],
];

/** In words that labels trust: of Tasks, of people, and of work that read no stranger. */
const TASKS: readonly string[] = ['task', 'cleanTask'].map(mark);
const TRUSTED: readonly string[] = [...TASKS, ...['intent', 'personKey', 'personValue'].map(mark)];
const isTrusted = (word: string): boolean => TRUSTED.includes(word) || word.startsWith('zqclean');

/** What of it has to be told, so that leaving everything out is no answer. */
const TOLD: readonly string[] = ['cleanDomain', 'cleanKey', 'cleanApproach', 'intent', 'personKey', 'personValue'];

/** Each kind of line by which the state tells something of what others wrote. */
const LINES: readonly string[] = [
  ...['<failure task="', '<approval tool="write_file" ', '<question task="vague" ', '<agent name="executor" '],
  ...['<pattern name="RepeatedFailures"', '<pattern name="ToolFailures" about="bash"', '<task name="vague" '],
  ...['<event name="person-answered" title="a question"', '<event name="person-answered" title="a call: yes"'],
  ...['<event name="refusal-called-wrong" title="the gate Tool"', '<integrity suspect_facts_7d="'],
  ...['thread="thread-', 'name left out: ', 'Abandoned, with read_file bash '],
  '→ Failure, 0 % of the criteria met; tools: read_file, bash,',
];

/** Some ten times what a quiet machine takes. */
const LIFE_MS = 60_000;

const THREAD = / thread="[^"]*"/g;
const SENSORIUM = /<sensorium>[^]*<\/sensorium>/;

/** Runs that read nothing themselves. */
const hasReadNothing = (runId: string): boolean => /-beside|-last|^vague/.test(runId);

describe('a life in which each text of others is marked', () => {
  let records: readonly JournalRecord[];
  let starts: ReturnType<typeof startsOf>;
  /** What each cycle is told of the agent itself. */
  let told: readonly string[];

  beforeAll(
    () =>
      liveMarked((life) => {
        ({ records } = life);
        starts = startsOf(life);
        told = starts.flatMap(({ spec }) =>
          spec.system.filter(({ varies }) => varies === true).map(({ text }) => text),
        );
      }),
    LIFE_MS,
  );

  const payloads = (kind: string): string =>
    records
      .filter((it) => `${it.store}/${it.kind}` === kind)
      .map(({ payload }) => JSON.stringify(payload))
      .join('\n');

  verifies('sensorium:taint', 'has every mark in its record, and where it belongs', () => {
    const elsewhere = records
      .filter(({ kind }) => kind !== 'CycleStarted')
      .map(({ payload }) => JSON.stringify(payload));
    expect(marksIn(elsewhere.join('\n'))).toEqual(allMarks());
    for (const [kind, ...names] of REACHED)
      expect(marksIn(payloads(kind)), kind).toEqual(expect.arrayContaining(names.map(mark)));
  });

  verifies('sensorium:taint', 'tells a cycle of all that the state has to say of it', () => {
    expect(told.length).toBeGreaterThan(20);
    const all = told.join('\n');
    expect(LINES.filter((line) => !all.includes(line))).toEqual([]);
    const recalled = starts.flatMap((it) => it.recalled ?? []);
    expect(recalled.flatMap(({ threads, cases }) => [threads.length, cases.length]).filter((it) => it > 2)).not.toEqual(
      [],
    );
  });

  verifies(
    'sensorium:taint',
    'names in the sensorium nothing but Tasks, and threads of work that read no stranger',
    () => {
      for (const text of told) {
        const [sensorium = ''] = SENSORIUM.exec(text) ?? [];
        expect(sensorium).not.toBe('');
        const threads = (sensorium.match(THREAD) ?? []).join();
        expect(marksIn(threads).filter((it) => !isTrusted(it))).toEqual([]);
        expect(marksIn(sensorium.replaceAll(THREAD, '')).filter((it) => !TASKS.includes(it))).toEqual([]);
      }
    },
  );

  verifies('sensorium:taint', 'holds in the slots what labels trust, and the values of facts in quotes', () => {
    const all = marksIn(told.join('\n'));
    expect(all.filter((it) => !isTrusted(it))).toEqual([]);
    expect(all).toEqual(expect.arrayContaining([...TASKS, ...TOLD.map(mark)]));
    expect(told.join('\n')).toContain(`ledger/${mark('personKey')} = &quot;${mark('personValue')}&quot; (`);
  });

  verifies('sensorium:taint', 'tells work that read no stranger nothing else of a stranger either', () => {
    const texts = starts.filter(({ spec }) => hasReadNothing(spec.runId));
    const words = texts.map(({ spec }) => [...spec.system.map(({ text }) => text), spec.input].join('\n'));
    expect(words.length).toBeGreaterThan(10);
    // What a person taught is a rule for every plan.
    expect(marksIn(words.join('\n')).filter((it) => !isTrusted(it))).toEqual([mark('lesson')]);
  });
});
