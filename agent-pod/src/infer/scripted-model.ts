/**
 * The model that plays a script: for tests, for the bundled example, and for anyone without a key.
 *
 * I1  Deterministic: equal script, request, call id and attempt give an equal answer, also after restarts. Of earlier requests it
 *     only counts what a provider's cache would have kept.
 * I2  It never refuses by itself, so anything that stops an action lies outside the model.
 * I3  It knows no results: its facts about the world are captures from the request (script.ts I1).
 */
import { err, ok, type Result } from '@retainer/contract/std/result';
import type { ContentBlock, StopReason } from '@retainer/mind/request/model-request';
import {
  ANSWER_CHARS_MAX,
  answerTooLong,
  type AttemptAnswer,
  type AttemptFailure,
  type ModelAttempter,
} from './model-attempt.ts';
import type { CompiledScript } from './script.ts';
import type { ScriptAnswer, ScriptFault, ScriptToolCall } from './script-schema.ts';
import { matchScript, readRequest, type RequestFacts, type RuleMatch } from './script-match.ts';
import { allMatches, renderJson, renderTemplate } from './script-template.ts';
import { PromptCache } from './prompt-cache.ts';
import { answerTokens, contentChars } from './usage-estimate.ts';

/** The model id in answers; no provider uses it. */
export const SCRIPTED_MODEL_ID = 'scripted';

/** Repetitions of an `each` part. */
const EACH_MATCHES_MAX = 100;

/** Length of the quote in the error for a request that no rule answers. */
const EXCERPT_CHARS = 120;

type Outcome = Result<AttemptAnswer, AttemptFailure>;
type Draft = Pick<AttemptAnswer, 'content' | 'stop'>;

/** @param nowMs  of the run's clock, for the life of what a cache keeps */
export function scriptedModel(script: CompiledScript, nowMs: () => number): ModelAttempter {
  const cache = new PromptCache();
  return {
    name: 'scripted',
    attempt: async (request, context) => {
      if (context.signal.aborted) return err({ kind: 'Cancelled', message: 'cancelled' });
      const facts = readRequest(request);
      const match = matchScript(script, facts, context.attempt);
      if (match === undefined) return err(noRule(facts));
      const { fault } = match.rule;
      if (fault?.kind === 'Stall') return cutOff(context.signal);
      if (fault?.kind === 'Fail') return err(failureOf(fault, match));
      const draft = draftAnswer(match, facts);
      if (!draft.ok) return draft;
      if (fault?.kind === 'Disconnect') return err({ kind: 'Network', message: 'the connection broke' });
      const damaged = fault === undefined ? draft.value : damage(draft.value, fault);
      if (contentChars(damaged.content) > ANSWER_CHARS_MAX) return err(answerTooLong());
      const usage = { ...cache.use(request, nowMs()), outputTokens: answerTokens(damaged.content) };
      return ok({ ...damaged, usage, model: SCRIPTED_MODEL_ID });
    },
  };
}

/** Resolves when the signal aborts; the caller knows why. */
function cutOff(signal: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(err({ kind: 'Cancelled', message: 'cut off' })), {
      once: true,
    });
  });
}

function failureOf(fault: ScriptFault & { readonly kind: 'Fail' }, { rule }: RuleMatch): AttemptFailure {
  return {
    kind: fault.failure,
    message: `the script's rule "${rule.name}" fails with ${fault.failure}`,
    ...(fault.retryAfterMs === undefined ? {} : { retryAfterMs: fault.retryAfterMs }),
  };
}

function noRule({ role, turn, offered, texts, results }: RequestFacts): AttemptFailure {
  const last = results.at(-1);
  const result =
    last === undefined ? 'no tool result' : `last result of ${last.tool || 'an unknown tool'} ${excerpt(last.text)}`;
  const tools = offered.size === 0 ? 'none' : [...offered].join(', ');
  return {
    kind: 'InvalidRequest',
    message: `no rule of the script answers role ${role}, turn ${turn}, task ${excerpt(texts.task)}, ${result}, tools ${tools}`,
  };
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > EXCERPT_CHARS ? `${text.slice(0, EXCERPT_CHARS)}…` : text);
}

function draftAnswer(match: RuleMatch, facts: RequestFacts): Result<Draft, AttemptFailure> {
  const answer: ScriptAnswer = match.rule.answer ?? {};
  const text = renderText(match, facts);
  const calls = (answer.calls ?? []).flatMap((call) => Array.from({ length: call.repeat }, () => call));
  const content: readonly ContentBlock[] = [
    ...(text === '' ? [] : [{ type: 'Text', text } as const]),
    ...calls.map((call) => toolUse(call, match)),
  ];
  const stop: StopReason = answer.stop ?? (calls.length > 0 ? 'ToolUse' : 'EndTurn');
  return contentChars(content) > ANSWER_CHARS_MAX ? err(answerTooLong()) : ok({ content, stop });
}

function renderText({ rule, bindings }: RuleMatch, facts: RequestFacts): string {
  const text = rule.answer?.text ?? '';
  if (typeof text === 'string') return renderTemplate(text, bindings);
  const rendered = text.flatMap((part) => {
    if (typeof part === 'string') return [renderTemplate(part, bindings)];
    const pattern = rule.patterns.get(part.each.pattern);
    if (pattern === undefined) return [];
    return allMatches(pattern, facts.texts[part.each.of], EACH_MATCHES_MAX).map((each) =>
      renderTemplate(part.text, new Map(bindings).set('each', each)),
    );
  });
  return rendered.join('');
}

/** Calls of all models get their ids later. */
function toolUse(call: ScriptToolCall, { bindings }: RuleMatch): ContentBlock {
  return { type: 'ToolUse', id: '', name: call.tool, input: renderJson(call.input, bindings) };
}

function damage(draft: Draft, fault: ScriptFault): Draft {
  const text = draft.content.flatMap((block) => (block.type === 'Text' ? [block.text] : [])).join('');
  switch (fault.kind) {
    case 'Empty':
      return { content: [], stop: 'EndTurn' };
    case 'Truncate':
      return { content: textBlocks(text.slice(0, Math.ceil(text.length / 2))), stop: 'MaxTokens' };
    case 'MalformedXml':
      return { content: textBlocks(text.slice(0, Math.max(0, text.lastIndexOf('</')))), stop: draft.stop };
    case 'Babble':
      return { content: textBlocks(babble(text, fault.chars)), stop: draft.stop };
    case 'Fail':
    case 'Stall':
    case 'Disconnect':
      return draft;
  }
}

function babble(text: string, chars: number): string {
  const word = text === '' ? 'and so on ' : text;
  return word.repeat(Math.ceil(chars / word.length)).slice(0, chars);
}

function textBlocks(text: string): readonly ContentBlock[] {
  return text === '' ? [] : [{ type: 'Text', text }];
}
