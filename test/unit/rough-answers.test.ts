/** What servers of models send, however roughly: an answer that arrived whole costs one request, and the next one is taken. */
import { isBlank, wellFormed } from '@retainer/contract/std/well-formed';
import { describe, expect, it } from 'vitest';
import { talk, type Talk } from '../support/rough-talk.ts';
import { roughly, type SaidBlock, type Wire } from '../support/rough-wire.ts';
import { Seeded } from '../support/seeded.ts';
import { testSeed } from '../support/seed.ts';
import { bySize, limitMs } from '../support/test-size.ts';
import { verifies } from '../verifies.ts';

const last = roughly([{ type: 'text', text: 'All is done.' }]);
const said: SaidBlock = { type: 'text', text: 'I look at it.' };

function call(json: string, more: Partial<Extract<SaidBlock, { type: 'tool_use' }>> = {}): SaidBlock {
  return { type: 'tool_use', id: 'call_0', name: 'look', json, ...more };
}

const ran = ({ events }: Talk): readonly unknown[] =>
  events.flatMap((event) => (event.kind === 'ToolRequested' ? [event.input] : []));
const unrun = ({ events }: Talk): readonly string[] =>
  events.flatMap((event) => (event.kind === 'CallAnswered' ? [event.text] : []));
const outcome = ({ events }: Talk): unknown =>
  events.flatMap((event) => (event.kind === 'CycleEnded' ? [event.outcome] : []));

describe('an answer that arrived whole', () => {
  it.each<[string, Wire]>([
    ['as the API sends it', {}],
    ['without names of events', { labels: 'None' }],
    ['with wrong names of events', { labels: 'Wrong' }],
    ['without the last blank line', { lastLine: 'Ended' }],
    ['without the end of the last line', { lastLine: 'Open' }],
    ['with line ends of Windows', { lineEnd: '\r\n' }],
    ['with line ends of Windows, byte by byte', { lineEnd: '\r\n', pieceBytes: 1 }],
    ['with line ends of old Macs', { lineEnd: '\r', pieceBytes: 2 }],
    ['with a mark of byte order', { startsWithMark: true }],
    ['with a mark of byte order and no names', { startsWithMark: true, labels: 'None', pieceBytes: 1 }],
    ['as application/json', { contentType: 'application/json' }],
    ['as text/html', { contentType: 'text/html; charset=latin1' }],
    ['as a document', { isDocument: true, contentType: 'application/json' }],
    ['as a document that is called a stream', { isDocument: true, startsWithMark: true, pieceBytes: 3 }],
    ['with an end that is called stop', { stopReason: 'stop' }],
    ['with an end that is called tool_calls', { stopReason: 'tool_calls' }],
    ['with an end that is called pause_turn', { stopReason: 'pause_turn' }],
    ['with an end that is called null', { stopReason: null }],
    ['with an end that is no text', { stopReason: { reason: 'end' } }],
    ['without a stop reason event', { without: ['message_delta'] }],
    ['without a stop', { without: ['message_stop'] }],
    ['without a start', { without: ['message_start'] }],
    ['without a stop, and then a broken connection', { without: ['message_stop'], end: 'Broken' }],
    ['and then a connection that stays open', { end: 'Never' }],
    ['without a stop on a connection that stays open', { without: ['message_stop'], end: 'Never' }],
    ['with gaps between the blocks', { indexes: 'Gaps' }],
    ['with texts as indexes', { indexes: 'Texts' }],
    ['with one index for all blocks', { indexes: 'Zero' }],
    ['without indexes', { indexes: 'None' }],
    ['with blocks side by side', { isInterleaved: true }],
    ['without the name of the model', { model: undefined }],
    ['with a model that is null', { model: null }],
    ['with pings and comments', { between: ': hello\nevent: ping\ndata: {"type":"ping"}\n\nid: 7\nretry: 3\n' }],
    ['and then [DONE]', { after: ['data: [DONE]\n\n'] }],
    ['and then an error', { after: ['event: error\ndata: {"type":"error","error":{"type":"api_error"}}\n\n'] }],
    ['and then noise', { after: ['data: {half\n\n', 'data: {"type":"message_start","message":{}}\n\n', 'noise'] }],
    ['with output tokens in quotes', { usage: { output_tokens: '7' } }],
    ['with half an output token', { usage: { output_tokens: 7.5 } }],
    ['with output tokens below zero', { usage: { output_tokens: -1 } }],
    ['with all output tokens there are', { usage: { output_tokens: 9_007_199_254_740_991 } }],
    ['with no output tokens', { usage: { output_tokens: null } }],
    ['without usage', { usage: null, startUsage: null }],
    ['with a usage that is none', { usage: 'much', startUsage: [1] }],
    ['with input tokens beyond what can be', { startUsage: { input_tokens: 1e15, cache_read_input_tokens: -7 } }],
  ])('%s costs one request, and its call runs', async (_name, wire) => {
    const told = await talk([roughly([said, call('{"at":1}'), call('{"at":2}')], wire), last]);
    expect(ran(told)).toEqual([{ at: 1 }, { at: 2 }]);
    expect(outcome(told)).toEqual(['Replied']);
    expect(told.requests).toBe(2);
    expectPossible(told);
  });

  it('with figures that cannot be says so', async () => {
    const { answers } = await talk([roughly([said], { usage: { output_tokens: 9_007_199_254_740_991 }, model: null })]);
    expect(answers[0]).toMatchObject({
      model: 'm',
      usage: { inputTokens: 30, outputTokens: 4 },
      mended: [
        'the server gave no possible count of output tokens: it is estimated',
        'the server did not say which model answered: the one that was asked is taken',
      ],
    });
  });
});

describe('an answer that did not arrive whole', () => {
  it.each<[string, ReturnType<typeof roughly>]>([
    ['a text without its end', roughly([said], { without: ['content_block_stop'] })],
    ['a call without its end', roughly([call('{"at":1}')], { without: ['content_block_stop'] })],
    ['no end at all', roughly([said, call('{"at":1}')], { without: ['message_delta', 'message_stop'] })],
    ['a broken connection', roughly([said], { without: ['message_delta', 'message_stop'], end: 'Broken' })],
  ])('%s is tried again, and nothing of it runs', async (_name, broken) => {
    const told = await talk([broken, last]);
    expect(ran(told)).toEqual([]);
    expect(outcome(told)).toEqual(['Replied']);
    expect(told.requests).toBe(2);
    expect(told.answers).toMatchObject([{ attempts: 2, content: [{ text: 'All is done.' }] }]);
  });
});

describe('a call that cannot be taken', () => {
  const deep = `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`;

  it.each<[string, SaidBlock, string]>([
    ['with a number beyond all', call('{"at":1e400}'), 'a number in it is too large to be kept exactly'],
    ['with a whole number that is rounded', call('{"at":12345678901234567890}'), 'a whole number in it'],
    ['nested 2,000 deep', call(deep), 'it is nested deeper than 64 levels'],
    ['with half of its arguments', call('{"at":'), 'its arguments are no JSON object'],
    ['with a list of arguments', call('[1]'), 'its arguments are no JSON object'],
    ['with names that become one', call('{"\\ud800":1,"\\ud801":2}'), 'two of its members have the same name'],
    ['without a name', call('{"at":1}', { name: '' }), 'it names no tool'],
    ['with half a character in its name', call('{"at":1}', { name: 'look\uD800' }), 'the name of its tool has'],
    ['with a dot in its name', call('{"at":1}', { name: 'functions.look' }), 'the name of its tool has'],
  ])('%s is answered, and the others run', async (_name, bad, why) => {
    const told = await talk([roughly([call('{"at":0}'), bad, call('{"at":2}')]), last]);
    expect(ran(told)).toEqual([{ at: 0 }, { at: 2 }]);
    expect(unrun(told)).toEqual([expect.stringContaining(`This call was not run, because ${why}`)]);
    expect(outcome(told)).toEqual(['Replied']);
    expect(told.requests).toBe(2);
    expect(told.answers[0]?.mended).toHaveLength(1);
  });
});

describe('content that a server would not take back', () => {
  it.each<[string, SaidBlock[], unknown[]]>([
    ['a blank text before a call', [{ type: 'text', text: '\n\n' }, call('{"at":1}')], [{ at: 1 }]],
    ['half a character in a text', [{ type: 'text', text: 'a\uD800' }, call('{"at":1}')], [{ at: 1 }]],
    ['half a character in an argument', [call('{"at":"\\ud800"}')], [{ at: '\uFFFD' }]],
    ['half a character in a key', [call('{"\\udc00":1}')], [{ '\uFFFD': 1 }]],
    ['an id with a space', [call('{"at":1}', { id: 'a b' })], [{ at: 1 }]],
    ['no id', [call('{"at":1}', { id: '' }), call('{"at":2}', { id: '' })], [{ at: 1 }, { at: 2 }]],
    [
      'a seal with half a character',
      [{ type: 'thinking', thinking: 'hm', signature: 'seal\uD800' }, call('{"at":1}')],
      [{ at: 1 }],
    ],
    ['thoughts', [{ type: 'thinking', thinking: 'hm', signature: 'seal' }, call('{"at":1}')], [{ at: 1 }]],
    ['thoughts after a call', [call('{"at":1}'), { type: 'thinking', thinking: 'hm', signature: 'seal' }], [{ at: 1 }]],
  ])('%s is mended', async (_name, content, expected) => {
    const told = await talk([roughly(content), roughly([call('{"at":99}')]), last]);
    expect(ran(told)).toEqual([...expected, { at: 99 }]);
    expect(outcome(told)).toEqual(['Replied']);
    expect(told.requests).toBe(3);
  });

  it.each<[string, SaidBlock[]]>([
    ['nothing', []],
    ['a blank text', [{ type: 'text', text: ' \u00A0\n' }]],
    ['thoughts alone', [{ type: 'thinking', thinking: 'hm', signature: 'seal' }]],
  ])('%s is an empty answer, and is asked again', async (_name, content) => {
    const told = await talk([roughly(content), last]);
    expect(outcome(told)).toEqual(['Replied']);
    expect(told.requests).toBe(2);
  });
});

/** More than any stack takes. */
const deepest = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

describe('arguments beyond all bounds', () => {
  verifies('infer:unusable-call', 'are answered beside a call that runs', async () => {
    const told = await talk([roughly([call('{"at":1e400}'), call('{"at":1}')]), last]);
    expect(ran(told)).toEqual([{ at: 1 }]);
    expect(unrun(told)).toEqual([expect.stringContaining('a number in it is too large')]);
  });

  it.each<[string, SaidBlock, Wire]>([
    ['in a stream', call(`{"at":${deepest}}`), { deltaChars: 10_000 }],
    ['in a document', call(`{"at":${deepest}}`), { isDocument: true }],
    ['of empty lists', call(`{"at":[${'[],'.repeat(500_000)}0]}`), { isDocument: true }],
    ['of one long text', call(`{"at":"${'x'.repeat(2_000_000)}"}`), { deltaChars: 100_000 }],
  ])('%s are answered', async (_name, bad, wire) => {
    const told = await talk([roughly([bad, call('{"at":1}')], wire), last]);
    expect(ran(told)).toEqual([{ at: 1 }]);
    expect(unrun(told)).toHaveLength(1);
    expect(told.requests).toBe(2);
  });
});

const CASES = bySize({ quick: 30, check: 150, nightly: 3000 });
const CASES_MS_MAX = limitMs(120_000, 10);

/** A failure names the seed with which it comes first. */
async function withSeeds(expectOne: (random: Seeded) => Promise<void>): Promise<void> {
  for (let at = 0; at < CASES; at += 1) {
    const seed = testSeed + at;
    try {
      await expectOne(new Seeded(seed));
    } catch (error) {
      throw new Error(`with RETAINER_SEED=${seed}`, { cause: error });
    }
  }
}

describe(`any answer on any wire, ${CASES} times`, () => {
  verifies(
    'infer:payload-counts',
    'is taken and told, and costs one request',
    () => withSeeds(expectTaken),
    CASES_MS_MAX,
  );

  verifies('infer:whole-answer', 'is tried again where it was cut', () => withSeeds(expectRetried), CASES_MS_MAX);
});

/** Cut anywhere before it says how it ends. */
async function expectRetried(random: Seeded): Promise<void> {
  const drawn = [...drawBlocks(random), said];
  const { after: _, ...wire } = drawWire(random);
  const body = roughly(drawn, { ...wire, without: [] });
  const end = wire.isDocument === true ? body.text.trimEnd().length : body.text.indexOf('"type":"message_delta"');
  const text = body.text.slice(0, random.below(end));
  const isBroken = random.below(2) === 0;
  const told = await talk([{ ...body, text, ...(isBroken ? { end: 'Broken' } : {}) }, last]);
  expect(ran(told)).toEqual([]);
  expect(told.requests).toBe(2);
  expect(told.answers).toMatchObject([{ attempts: 2, content: [{ text: 'All is done.' }] }]);
}

async function expectTaken(random: Seeded): Promise<void> {
  const drawn = drawBlocks(random);
  const told = await talk([roughly(drawn, drawWire(random)), last]);
  const good = drawn.flatMap((block) => (block.type === 'tool_use' && isGood(block) ? [JSON.parse(block.json)] : []));
  const bad = drawn.filter((block) => block.type === 'tool_use' && !isGood(block));
  expect(ran(told)).toEqual(JSON.parse(wellFormed(JSON.stringify(good).replaceAll(/\\ud[89a-f]../g, '\uFFFD'))));
  expect(unrun(told)).toHaveLength(bad.length);
  expect(outcome(told)).toEqual(['Replied']);
  const isReply =
    drawn.some((block) => block.type === 'text' && !isBlank(block.text)) && good.length + bad.length === 0;
  expect(told.requests).toBe(isReply ? 1 : 2);
  expect(told.answers.map(({ attempts }) => attempts)).toEqual(isReply ? [1] : [1, 1]);
  expectPossible(told);
}

/** Nothing counts beyond what can be. */
function expectPossible({ answers, events, bodies }: Talk): void {
  const requests = events.filter((event) => event.kind === 'ModelRequested');
  for (const [at, { usage }] of answers.entries()) {
    const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
    const prompt = inputTokens + cacheReadTokens + cacheWriteTokens;
    expect(prompt).toBeGreaterThan(0);
    expect(prompt).toBeLessThan((bodies[at]?.length ?? 0) + 5000);
    expect(outputTokens).toBeLessThanOrEqual(requests[at]?.request.maxOutputTokens ?? 0);
    expect([inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens].every(Number.isInteger)).toBe(true);
  }
}

const GOOD_TEXTS = ['I look.', 'a\uD800b', '\u{1F600}\u{1F600}', '\uDC00', 'tab\tand\nline', '0'];
const BLANK_TEXTS = ['', ' ', '\n\n', '\u3000', '\uFEFF'];
const GOOD_VALUES = ['"x"', '"\\ud83d"', '"\\ud83d\\ude00"', '1.5', '[{"b":null}]', '{"__proto__":{"c":true}}', '""'];
const BAD_VALUES = [
  '1e400',
  '-1e999',
  '99999999999999999999',
  '['.repeat(90) + ']'.repeat(90),
  '{"\\ud800":1,"\\udc00":2}',
];
const IDS = ['call_0', '', 'a b', 'call_0', '\uD800', 'toolu_01'];
const BAD_NAMES = ['', 'look at', 'l\u00F6\u00F6k', 'look\uD83D', 'look\n', 'x'.repeat(300)];

/** By what it draws: a bad value or name. */
function isGood({ json, name }: Extract<SaidBlock, { type: 'tool_use' }>): boolean {
  return name === 'look' && !BAD_VALUES.some((value) => json.endsWith(`:${value}}`));
}

function drawBlocks(random: Seeded): readonly SaidBlock[] {
  const pick = <T>(of: readonly T[]): T => of[random.below(of.length)] as T;
  const blocks: SaidBlock[] =
    random.below(4) === 0 ? [{ type: 'thinking', thinking: pick(GOOD_TEXTS), signature: `s${random.below(9)}` }] : [];
  const count = random.below(5);
  for (let at = 0; at < count; at += 1) {
    const kind = random.below(6);
    if (kind === 0) blocks.push({ type: 'text', text: pick(BLANK_TEXTS) });
    else if (kind < 3) blocks.push({ type: 'text', text: pick(GOOD_TEXTS) });
    else {
      const value = random.below(4) === 0 ? pick(BAD_VALUES) : pick(GOOD_VALUES);
      const name = random.below(6) === 0 ? pick(BAD_NAMES) : 'look';
      blocks.push({ type: 'tool_use', id: pick(IDS), name, json: `{"at":${at},"value":${value}}` });
    }
  }
  return blocks;
}

function drawWire(random: Seeded): Wire {
  const pick = <T>(...of: readonly T[]): T => of[random.below(of.length)] as T;
  const figure = (): unknown => pick<unknown>(7, '7', 7.5, -1, 9_007_199_254_740_991, null, 'many', {}, 0, 1e300);
  const without = pick<readonly string[]>([], [], ['message_stop'], ['message_delta'], ['message_start']);
  const wire: Wire = {
    isDocument: random.below(6) === 0,
    lineEnd: pick('\n', '\r\n', '\r'),
    startsWithMark: random.below(3) === 0,
    lastLine: pick('Blank', 'Ended', 'Open'),
    pieceBytes: pick(1, 3, 17, 1000, 100_000),
    isInterleaved: random.below(4) === 0,
    contentType: pick('text/event-stream', 'application/json', 'text/plain', 'text/html'),
    stopReason: pick<unknown>('end_turn', 'tool_use', 'stop', 'tool_calls', 'new', null, 7),
    usage: { output_tokens: figure(), input_tokens: figure() },
    startUsage: { input_tokens: figure(), cache_read_input_tokens: figure(), cache_creation_input_tokens: figure() },
    model: pick<unknown>('m', null, '', 7, 'x\uD800'),
    without,
    after: pick<readonly string[]>(
      [],
      ['data: [DONE]\n\n'],
      ['data: noise\n\n'],
      ['event: error\ndata: {"error":{}}\n\n'],
    ),
    between: pick('', ': comment\n', 'id: 1\n'),
    deltaChars: pick(1, 2, 7, 100),
  };
  const labels = pick<'Right' | 'None' | 'Wrong'>('Right', 'None', 'Wrong');
  const indexes = pick<'Right' | 'Gaps' | 'Texts' | 'Zero' | 'None'>('Right', 'Gaps', 'Texts', 'Zero', 'None');
  // Blocks side by side are told apart by their indexes alone.
  const isTold = wire.isInterleaved !== true || (indexes !== 'Zero' && indexes !== 'None');
  return {
    ...wire,
    ...(labels === 'Right' ? {} : { labels }),
    ...(indexes === 'Right' || !isTold ? {} : { indexes }),
    // An end that no event says is the end of nothing.
    ...(without.includes('message_stop') ? { stopReason: 'end_turn' } : {}),
  };
}
