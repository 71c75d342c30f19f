import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { ContentBlock, Message, ModelRequest } from '@retainer/mind/request/model-request';
import { ANSWER_CHARS_MAX, type AttemptAnswer, type AttemptFailure } from './model-attempt.ts';
import { parseScript, renderScriptError } from './script.ts';
import { scriptedModel } from './scripted-model.ts';

interface Situation {
  readonly role?: string;
  readonly task?: string;
  readonly system?: string;
  readonly tools?: readonly string[];
  /** Each a tool call of the model and its result. */
  readonly done?: readonly { readonly tool: string; readonly text: string; readonly isError?: boolean }[];
  readonly nudge?: string;
  readonly attempt?: number;
}

function requestOf({
  role = 'executor',
  task = 'the task',
  system = '',
  tools = [],
  done = [],
  nudge,
}: Situation): ModelRequest {
  const turns = done.flatMap(({ tool, text, isError = false }, index): Message[] => [
    { role: 'Assistant', content: [{ type: 'ToolUse', id: `id${index}`, name: tool, input: {} }] },
    { role: 'User', content: [{ type: 'ToolResult', toolUseId: `id${index}`, text, isError }] },
  ]);
  const last: Message[] =
    nudge === undefined
      ? []
      : [
          { role: 'Assistant', content: [] },
          { role: 'User', content: [{ type: 'Text', text: nudge }] },
        ];
  return {
    role,
    tier: 'Fast',
    model: 'm',
    system: system === '' ? [] : [{ text: system, cache: true }],
    messages: [{ role: 'User', content: [{ type: 'Text', text: task }] }, ...turns, ...last],
    tools: tools.map((name) => ({ name, description: name, inputSchema: {} })),
    maxOutputTokens: 100,
  };
}

function load(rules: string): ReturnType<typeof scriptedModel> {
  const script = parseScript(`version: 1\nrules:\n${rules}`);
  if (!script.ok) throw new Error(script.error.map(renderScriptError).join('\n'));
  return scriptedModel(script.value, () => 0);
}

async function play(rules: string, situation: Situation = {}): Promise<AttemptAnswer> {
  const result = await attempt(rules, situation);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

function attempt(rules: string, situation: Situation = {}): ReturnType<ReturnType<typeof scriptedModel>['attempt']> {
  const signal = new AbortController().signal;
  const context = { callId: 'c', attempt: situation.attempt ?? 1, signal, progress: () => undefined };
  return load(rules).attempt(requestOf(situation), context);
}

async function failure(rules: string, situation: Situation = {}): Promise<AttemptFailure> {
  const result = await attempt(rules, situation);
  if (result.ok) throw new Error('it answered');
  return result.error;
}

function textOf({ content }: { readonly content: readonly ContentBlock[] }): string {
  return content.flatMap((block) => (block.type === 'Text' ? [block.text] : [])).join('');
}

/** A first rule with this condition says yes, the second no. */
async function holds(when: string, situation: Situation): Promise<boolean> {
  const rules = `  - {name: first, when: ${when}, answer: {text: 'yes'}}\n  - {name: second, answer: {text: 'no'}}`;
  return textOf(await play(rules, situation)) === 'yes';
}

const ran = { tool: 'run_code', text: 'exit code 0\n42' };
const failed = { tool: 'bash', text: 'exit code 1', isError: true };

describe('the conditions of a rule', () => {
  it.each<[string, Situation, boolean]>([
    ['{role: executor}', {}, true],
    ['{role: agent-validator}', {}, false],
    ['{role: [planner, executor]}', {}, true],
    ['{task: "(?i)TASK"}', {}, true],
    ['{task: other}', {}, false],
    ['{system: careful}', { system: 'be careful' }, true],
    ['{system: careful}', {}, false],
    ['{text: guard}', { nudge: '[guard] shorter' }, true],
    ['{text: guard}', { done: [ran] }, false],
    ['{turn: 1}', {}, true],
    ['{turn: 2}', { done: [ran] }, true],
    ['{turn: {min: 2, max: 3}}', { done: [ran, ran, ran] }, false],
    ['{turn: {min: 2}}', { done: [ran, ran, ran] }, true],
    ['{offers: [bash]}', { tools: ['run_code', 'bash'] }, true],
    ['{offers: [bash, read_file]}', { tools: ['bash'] }, false],
    ['{last: {}}', {}, false],
    ['{last: {}}', { done: [ran] }, true],
    ['{last: {tool: bash}}', { done: [failed, ran] }, false],
    ['{last: {error: true}}', { done: [ran, failed] }, true],
    ['{last: {error: false}}', { done: [ran, failed] }, false],
    ['{last: {text: "4\\\\d"}}', { done: [ran] }, true],
    ['{last: {text: "4\\\\d"}}', { done: [ran], nudge: 'go on' }, true],
    ['{results: [{tool: bash, error: true}]}', { done: [failed, ran] }, true],
    ['{results: [{tool: bash, error: false}]}', { done: [failed, ran] }, false],
    ['{results: [{text: "code 0", min: 2}]}', { done: [ran, failed] }, false],
    ['{results: [{min: 0, max: 0}]}', {}, true],
    ['{results: [{min: 0, max: 0}]}', { done: [ran] }, false],
    ['{role: executor, task: other}', {}, false],
  ])('%s', async (when, situation, expected) => {
    expect(await holds(when, situation)).toBe(expected);
  });

  it('are tried in order, and the first rule that holds answers', async () => {
    const rules = `  - {name: a, answer: {text: first}}\n  - {name: b, answer: {text: second}}`;
    expect(textOf(await play(rules))).toBe('first');
  });
});

describe('insertions', () => {
  it('fill text and every text of an input from the request', async () => {
    const rules = [
      '  - name: x',
      "    when: {task: 'sum of (?P<a>\\d+) and (\\d+)', last: {text: '(?s)\\n(?P<out>.*)'}}",
      '    answer:',
      "      text: '{{task.a}}+{{task.2}}={{last.out}} by {{last.callId}} ({{ task.0 }})'",
      '      calls: [{tool: bash, input: {script: "echo {{last.out|json}}", list: ["{{task.a}}", 7]}}]',
    ].join('\n');
    const done = [{ tool: 'run_code', text: 'exit code 0\n"42"\n' }];
    const answer = await play(rules, { task: 'the sum of 19 and 23', done });
    expect(textOf(answer)).toBe('19+23="42"\n by id0 (sum of 19 and 23)');
    expect(answer.content.at(-1)).toMatchObject({ input: { script: 'echo "\\"42\\"\\n"', list: ['19', 7] } });
    expect(answer.stop).toBe('ToolUse');
  });

  it('insert nothing for a group that took no part', async () => {
    const rules = "  - {name: x, when: {task: 'task(?P<n> \\d+)?'}, answer: {text: '<{{task.n}}>'}}";
    expect(textOf(await play(rules))).toBe('<>');
  });

  it('escape for XML', async () => {
    const rules = "  - {name: x, when: {task: '(?s)(?P<all>.*)'}, answer: {text: '<a>{{task.all|xml}}</a>'}}";
    expect(textOf(await play(rules, { task: `<b> & "c" 'd'\u0007` }))).toBe(
      '<a>&lt;b&gt; &amp; &quot;c&quot; &apos;d&apos;</a>',
    );
  });

  it('repeat a part for each match, in order', async () => {
    const rules = [
      '  - name: x',
      '    answer:',
      '      text:',
      '        - "begin;"',
      "        - {each: {of: task, pattern: 'item (?P<n>\\d+)'}, text: '{{each.n}};'}",
      '        - "end"',
    ].join('\n');
    expect(textOf(await play(rules, { task: 'item 1, item 2, item 30' }))).toBe('begin;1;2;30;end');
    expect(textOf(await play(rules, { task: 'none' }))).toBe('begin;end');
  });

  it('never read an inserted text as a template', async () => {
    const rules = "  - {name: x, when: {task: '(?s)(?P<all>.*)'}, answer: {text: '{{task.all}}'}}";
    expect(textOf(await play(rules, { task: '{{task.0}} $& $1' }))).toBe('{{task.0}} $& $1');
  });
});

describe('faults', () => {
  it.each<[string, string, Partial<AttemptAnswer>]>([
    ['Empty', '{kind: Empty}', { content: [], stop: 'EndTurn' }],
    ['Truncate', '{kind: Truncate}', { content: [{ type: 'Text', text: '<a><b>x<' }], stop: 'MaxTokens' }],
    ['MalformedXml', '{kind: MalformedXml}', { content: [{ type: 'Text', text: '<a><b>x</b>' }] }],
    ['Babble', '{kind: Babble, chars: 20}', { content: [{ type: 'Text', text: '<a><b>x</b></a><a><b' }] }],
  ])('%s damages the answer of its rule', async (_name, fault, expected) => {
    const rules = `  - {name: x, fault: ${fault}, answer: {text: '<a><b>x</b></a>', calls: [{tool: bash}]}}`;
    expect(await play(rules)).toMatchObject(expected);
  });

  verifies('infer:bounded-answer', 'Babble beyond the limit is a malformed answer, as of any model', async () => {
    const rules = `  - {name: x, fault: {kind: Babble, chars: ${ANSWER_CHARS_MAX + 1}}}`;
    expect(await failure(rules)).toMatchObject({ kind: 'MalformedAnswer' });
  });

  it('Fail names the rule and passes on what the server asks to wait', async () => {
    const rules = '  - {name: busy, fault: {kind: Fail, failure: RateLimited, retryAfterMs: 9000}}';
    expect(await failure(rules)).toEqual({
      kind: 'RateLimited',
      retryAfterMs: 9000,
      message: expect.stringContaining('"busy"'),
    });
  });

  it('Disconnect is a failure of the network', async () => {
    expect(await failure('  - {name: x, fault: {kind: Disconnect}}')).toMatchObject({ kind: 'Network' });
  });

  it('with times pass by after so many tries', async () => {
    const rules = '  - {name: x, fault: {kind: Disconnect, times: 2}}\n  - {name: y, answer: {text: up}}';
    expect(await failure(rules, { attempt: 2 })).toMatchObject({ kind: 'Network' });
    expect(textOf(await play(rules, { attempt: 3 }))).toBe('up');
  });
});

describe('calls', () => {
  it('can be many of a kind', async () => {
    const { content } = await play('  - {name: x, answer: {calls: [{tool: nonsense, input: [1], repeat: 50}]}}');
    expect(content).toHaveLength(50);
    expect(content[0]).toMatchObject({ name: 'nonsense', input: [1] });
  });
});

describe('a request that no rule answers', () => {
  it('is an invalid request, and the message names what was asked', async () => {
    const { kind, message } = await failure('  - {name: x, when: {role: planner}, answer: {text: a}}', {
      task: `find it ${'x'.repeat(500)}`,
      done: [ran],
      tools: ['bash', 'run_code'],
    });
    expect(kind).toBe('InvalidRequest');
    expect(message).toMatch(
      /role executor, turn 2, task "find it x+…", last result of run_code "exit code 0\\n42", tools bash, run_code/,
    );
    expect(message.length).toBeLessThan(600);
  });
});

describe('parseScript', () => {
  it.each([
    ['no YAML', 'version: 1\nrules: [', 2, ''],
    [
      'an unknown condition',
      'version: 1\nrules:\n  - name: a\n    when: {tusk: x}\n    answer: {text: b}',
      4,
      'rules[0].when',
    ],
    ['neither answer nor fault', 'version: 1\nrules:\n  - name: a', 3, 'rules[0]'],
    [
      'a wrong type',
      'version: 1\nrules:\n  - name: a\n    when:\n      turn: two\n    answer: {}',
      5,
      'rules[0].when.turn',
    ],
    ['an unknown version', 'version: 2\nrules: [{name: a, answer: {}}]', 1, 'version'],
    [
      'a pattern that is none',
      'version: 1\nrules:\n  - name: a\n    when: {task: "(x"}\n    answer: {}',
      3,
      'rules[0]',
    ],
    [
      'a pattern that RE2 does not have',
      'version: 1\nrules:\n  - name: a\n    when: {task: "(?=x)"}\n    answer: {}',
      3,
      'rules[0]',
    ],
    ['an insertion without a source', "version: 1\nrules:\n  - name: a\n    answer: {text: '{{x}}'}", 3, 'rules[0]'],
    [
      'an insertion without a pattern',
      "version: 1\nrules:\n  - name: a\n    answer: {text: '{{task.0}}'}",
      3,
      'rules[0]',
    ],
    [
      'an unknown group',
      "version: 1\nrules:\n  - name: a\n    when: {task: x}\n    answer: {text: '{{task.y}}'}",
      3,
      'rules[0]',
    ],
    [
      'an unknown filter',
      "version: 1\nrules:\n  - name: a\n    when: {task: x}\n    answer: {text: '{{task.0|html}}'}",
      3,
      'rules[0]',
    ],
    [
      'an insertion in an input',
      "version: 1\nrules:\n  - name: a\n    answer: {calls: [{tool: t, input: {a: ['{{last.1}}']}}]}",
      3,
      'rules[0]',
    ],
    [
      'a call id without a condition on a result',
      "version: 1\nrules:\n  - name: a\n    answer: {text: '{{last.callId}}'}",
      3,
      'rules[0]',
    ],
    ['each outside an each part', "version: 1\nrules:\n  - name: a\n    answer: {text: '{{each.0}}'}", 3, 'rules[0]'],
  ])('refuses %s and says where', (_name, text, line, path) => {
    const script = parseScript(text);
    expect(script).toMatchObject({ ok: false, error: [{ line, path }] });
  });

  it('names every error, not the first alone', () => {
    const script = parseScript(
      "version: 1\nrules:\n  - name: a\n    answer: {text: '{{task.0}} {{last.0}}'}\n  - name: b\n    when: {task: '('}\n    answer: {}",
    );
    expect(script.ok ? [] : script.error.map(({ line }) => line)).toEqual([3, 3, 5]);
  });

  it('answers a hostile pattern in time', async () => {
    const rules = "  - {name: x, when: {task: '^(a+)+$'}, answer: {text: a}}\n  - {name: y, answer: {text: b}}";
    expect(textOf(await play(rules, { task: `${'a'.repeat(5000)}!` }))).toBe('b');
  });
});
