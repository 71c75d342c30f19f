/** Finds the rule of a script that answers a request. Pure. */
import type { ContentBlock, Message, ModelRequest } from '@retainer/mind/request/model-request';
import { withoutFences } from '@retainer/mind/gate/provenance/fence';
import { saidAgain } from '@retainer/mind/assemble/shared-start';
import { sourcePatterns, type ScriptWhen, type SourceName } from './script-schema.ts';
import type { CompiledRule, CompiledScript } from './script.ts';
import { CALL_ID, firstMatch, type Bindings, type Captures } from './script-template.ts';

export interface ToolResultFact {
  readonly callId: string;
  /** Empty if the request has no such call. */
  readonly tool: string;
  readonly text: string;
  readonly isError: boolean;
}

export interface RequestFacts {
  readonly role: string;
  /** Assistant turns so far, plus 1. */
  readonly turn: number;
  readonly texts: Readonly<Record<SourceName, string>>;
  /** Oldest first. */
  readonly results: readonly ToolResultFact[];
  readonly offered: ReadonlySet<string>;
}

export interface RuleMatch {
  readonly rule: CompiledRule;
  readonly bindings: Bindings;
}

export function readRequest(request: ModelRequest): RequestFacts {
  const { messages, system, tools, role } = request;
  const blocks = messages.flatMap(({ content }) => content);
  const toolNames = new Map(blocks.flatMap((block) => (block.type === 'ToolUse' ? [[block.id, block.name]] : [])));
  const results = blocks.flatMap((block) => {
    if (block.type !== 'ToolResult') return [];
    const { toolUseId, text, isError } = block;
    return [{ callId: toolUseId, tool: toolNames.get(toolUseId) ?? '', text: withoutFences(text), isError }];
  });
  const first = system[0]?.text ?? '';
  return {
    role,
    turn: messages.filter((message) => message.role === 'Assistant').length + 1,
    texts: {
      task: saidAgain(textOf(messages.find((message) => message.role === 'User')), first),
      system: system.map(({ text }) => text).join('\n'),
      text: saidAgain(textOf(messages.at(-1)), first),
      last: results.at(-1)?.text ?? '',
    },
    results,
    offered: new Set(request.callsNoTool === true ? [] : tools.map(({ name }) => name)),
  };
}

/** The first rule whose conditions all hold. @param attempt  from 1; a fault with `times` lets later tries pass */
export function matchScript(script: CompiledScript, facts: RequestFacts, attempt: number): RuleMatch | undefined {
  for (const rule of script.rules) {
    if (attempt > (rule.fault?.times ?? Infinity)) continue;
    const bindings = matchRule(rule, facts);
    if (bindings !== undefined) return { rule, bindings };
  }
  return undefined;
}

function matchRule(rule: CompiledRule, facts: RequestFacts): Bindings | undefined {
  const { when, patterns } = rule;
  if (![fitsRole, fitsTurn, fitsOffers, fitsLast].every((fits) => fits(when, facts))) return undefined;
  if (!fitsResults(rule, facts)) return undefined;
  const bindings = new Map<string, Captures>();
  const wanted = sourcePatterns(when);
  for (const source of SOURCES) {
    const pattern = patterns.get(wanted[source] ?? '');
    if (pattern === undefined) continue;
    const captures = firstMatch(pattern, facts.texts[source]);
    if (captures === undefined) return undefined;
    bindings.set(source, captures);
  }
  const callId = facts.results.at(-1)?.callId ?? '';
  return bindings.set('last', new Map(bindings.get('last')).set(CALL_ID, callId));
}

const SOURCES: readonly SourceName[] = ['task', 'system', 'text', 'last'];

function fitsRole({ role }: ScriptWhen, facts: RequestFacts): boolean {
  return role === undefined || (typeof role === 'string' ? role === facts.role : role.includes(facts.role));
}

function fitsTurn({ turn }: ScriptWhen, facts: RequestFacts): boolean {
  if (turn === undefined) return true;
  if (typeof turn === 'number') return turn === facts.turn;
  return facts.turn >= turn.min && facts.turn <= (turn.max ?? Infinity);
}

function fitsOffers({ offers }: ScriptWhen, facts: RequestFacts): boolean {
  return (offers ?? []).every((name) => facts.offered.has(name));
}

function fitsLast({ last }: ScriptWhen, facts: RequestFacts): boolean {
  if (last === undefined) return true;
  const result = facts.results.at(-1);
  return result !== undefined && isKind(last, result);
}

function fitsResults({ when, patterns }: CompiledRule, facts: RequestFacts): boolean {
  return (when.results ?? []).every((wanted) => {
    const pattern = patterns.get(wanted.text ?? '');
    const fitting = facts.results.filter(
      (result) => isKind(wanted, result) && (pattern === undefined || pattern.matcher(result.text).find()),
    );
    return fitting.length >= wanted.min && fitting.length <= (wanted.max ?? Infinity);
  });
}

function isKind(
  wanted: { readonly tool?: string | undefined; readonly error?: boolean | undefined },
  result: ToolResultFact,
): boolean {
  return (
    (wanted.tool === undefined || wanted.tool === result.tool) &&
    (wanted.error === undefined || wanted.error === result.isError)
  );
}

function textOf(message: Message | undefined): string {
  return (message?.content ?? [])
    .flatMap((block: ContentBlock) => (block.type === 'Text' ? [withoutFences(block.text)] : []))
    .join('\n');
}
