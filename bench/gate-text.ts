/**
 * What the deterministic layer costs on a text of 4 KiB: `npm run bench:gate-text`.
 *
 * The whole decision of the input gate, with the shipped rules alone and with eight rules of a character. Beside it a plain
 * scan of the same text by as many expressions of the JavaScript engine, which sees no disguise. Then texts made to be slow, with the
 * longest time that one held the thread, and what is found in the sets that no rule was tuned on.
 *
 * Source: springdrift 2; reliability-security 7.
 */
import { readFileSync } from 'node:fs';
import { checkText } from '@retainer/mind/gate/check-text';
import { compileGate } from '@retainer/mind/gate/compile-gate';
import { shippedDetector } from '@retainer/mind/gate/detector/detector';
import { scoreText } from '@retainer/mind/gate/detector/score-text';
import { finished } from '@retainer/mind/gate/text/pace';
import { screenSliced, screenText } from '@retainer/mind/gate/text/screen-text';
import type { GateContext } from '@retainer/mind/gate/verdict';
import type { Gate } from '@retainer/mind/gate/gate';
import { makeAttacks } from '../test/support/gate-texts/attacks.ts';
import { heldOutDomains } from '../test/support/gate-texts/benign-held-out.ts';
import { composeTexts } from '../test/support/gate-texts/compose.ts';
import { bySize } from './bench-size.ts';
import { fail, quantile, row } from './figures.ts';
import { knownTools } from '../agent-pod/src/parts/catalog.ts';

const TEXT_CHARACTERS = 4096;
const WARM_ROUNDS = bySize({ smoke: 30, full: 300 });
const ROUNDS = bySize({ smoke: 100, full: 2000 });
const GOAL_SHIPPED_MS = 2;
const GOAL_RULES_MS = 10;
const GOAL_LAYER_MS = 3;
const GOAL_SLICE_MS = 50;

/** As an operator writes them. */
const PATTERNS: readonly string[] = [
  String.raw`(?i)\b(ignore|disregard|forget)\b.{0,40}\b(previous|prior|above)\b.{0,40}\b(instruction|rule)s?\b`,
  String.raw`\b(sk-[A-Za-z0-9_-]{20,}|AKIA[0-9A-Z]{16})\b`,
  String.raw`(?i)\bproject\s+(aurora|borealis)\b`,
  String.raw`\b\d{3}-\d{2}-\d{4}\b`,
  String.raw`(?i)internal use only`,
  String.raw`https?://[a-z0-9.-]*\.corp\.example`,
  String.raw`(?i)wire\s+transfer.{0,80}\b(iban|swift)\b`,
  String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----`,
];

const context: GateContext = { agent: 'executor', autonomous: true, nowMs: 0, approvals: [] };

function gateWith(patterns: readonly string[], detector = false): Gate {
  const rules = patterns.map((pattern, at) => ({
    id: `rule-${at}`,
    pattern,
    verdict: 'Reject' as const,
    reason: 'Found.',
  }));
  const gate = compileGate({ gatePolicies: { detector, input: { rules } } }, 'bench', knownTools);
  return gate.ok ? gate.value : fail(new Error(gate.error.join('; ')));
}

/** Real prose with tables, paths and code: parts of the documentation, each beginning somewhere else. */
function texts(): readonly string[] {
  const prose = ['docs/architecture.md', 'docs/cli.md', 'docs/operations.md']
    .map((path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8'))
    .join('\n');
  const step = 613;
  const count = Math.floor((prose.length - TEXT_CHARACTERS) / step);
  return Array.from({ length: count }, (_, at) => prose.slice(at * step, at * step + TEXT_CHARACTERS));
}

type Way = (text: string) => number;

interface Times {
  readonly wallMs: number[];
  /** Of a processor: what is left when other programs take it away. */
  readonly processorMs: number[];
}

function measure(way: Way, samples: readonly string[]): Times {
  const times: Times = { wallMs: [], processorMs: [] };
  for (let round = 0; round < WARM_ROUNDS + ROUNDS; round += 1) {
    const text = samples[round % samples.length] ?? '';
    const [used, start] = [process.cpuUsage(), performance.now()];
    const found = way(text);
    const wallMs = performance.now() - start;
    const { user, system } = process.cpuUsage(used);
    if (Number.isNaN(found)) fail(new Error('nothing was measured'));
    if (round < WARM_ROUNDS) continue;
    times.wallMs.push(wallMs);
    times.processorMs.push((user + system) / 1000);
  }
  return times;
}

const shipped = gateWith([]);
const withRules = gateWith(PATTERNS);
const withDetector = gateWith([], true);
const scans = PATTERNS.map((pattern) => new RegExp(pattern.replace('(?i)', ''), pattern.startsWith('(?i)') ? 'i' : ''));
const ways: readonly Way[] = [
  (text) => checkText(shipped, 'Input', text, context).points,
  (text) => checkText(withRules, 'Input', text, context).points,
  (text) => checkText(withDetector, 'Input', text, context).points,
  (text) => finished(scoreText(shippedDetector(), text)).score,
  (text) => scans.filter((scan) => scan.test(text)).length,
];
const names = [
  'shipped rules',
  'with eight rules of a character',
  'shipped rules and the statistical layer',
  'the layer alone',
  'plain scan by eight expressions',
];
const goals = [`≤ ${GOAL_SHIPPED_MS} ms`, `≤ ${GOAL_RULES_MS} ms`, `≤ ${GOAL_LAYER_MS} ms`, '≤ 1 ms', '–'];
const samples = texts();
console.log(`${samples.length} texts of ${TEXT_CHARACTERS} characters, ${ROUNDS} decisions each way\n`);
for (const [at, way] of ways.entries()) {
  const { wallMs, processorMs } = measure(way, samples);
  const [p50, p99, processorP99] = [quantile(wallMs, 0.5), quantile(wallMs, 0.99), quantile(processorMs, 0.99)];
  const rest = `p50 ${p50.toFixed(2)} ms, fastest ${Math.min(...wallMs).toFixed(2)} ms; of a processor p99 ${processorP99.toFixed(2)} ms`;
  row(`${names[at]}, p99 ${goals[at]}`, `${p99.toFixed(2)} ms`, rest);
}

/** Each 512 Ki characters: as much as is read of a text. */
const slow: Readonly<Record<string, string>> = {
  'zero-width characters': '\u200b'.repeat(1024 * 1024),
  'letters cut by them': 'i\u200b'.repeat(256 * 1024),
  'near matches': 'ignore your '.repeat(43_690),
  'single letters': 'i '.repeat(256 * 1024),
  'open images': '![](https://a/'.repeat(37_449),
  'base64 in base64 in base64': [0, 1, 2].reduce((text) => Buffer.from(text).toString('base64'), 'a b '.repeat(50_000)),
  ideographs: '忽'.repeat(512 * 1024),
  figures: '10 '.repeat(174_762),
};
console.log('');
for (const [name, text] of Object.entries(slow)) {
  const slicesMs = slicesOf(text);
  const totalMs = slicesMs.reduce((sum, ms) => sum + ms, 0);
  const longest = `longest slice ${Math.max(...slicesMs).toFixed(0)} ms of ${slicesMs.length}; goal ≤ ${GOAL_SLICE_MS} ms`;
  row(`made to be slow: ${name}`, `${totalMs.toFixed(0)} ms`, `${longest}; ${text.length} characters`);
}

/** How long each slice held the one thread. */
function slicesOf(text: string): readonly number[] {
  const reading = screenSliced(text, 'Incoming');
  const slicesMs: number[] = [];
  for (let isDone = false; !isDone;) {
    const startMs = performance.now();
    isDone = reading.next().done === true;
    slicesMs.push(performance.now() - startMs);
  }
  return slicesMs;
}

console.log('');
const attacks = bySize({ smoke: [1], full: [1, 2, 3, 4, 5] })
  .flatMap((seed) => makeAttacks('HeldOut', seed))
  .map(({ text }) => text);
const harmless = composeTexts(heldOutDomains, bySize({ smoke: 22, full: 220 }), 7).map(({ text }) => text);
for (const [name, set] of [
  ['attacks, held out', attacks],
  ['harmless, held out', harmless],
] as const) {
  for (const alarm of ['Block', 'Escalate'] as const) {
    const found = set.filter((text) => screenText(text, 'Incoming').alarm === alarm).length;
    row(`${name}: ${alarm}`, `${((100 * found) / set.length).toFixed(1)} %`, `${found} of ${set.length}`);
  }
}
