/**
 * The agent's newest runs as it may ask for them: what is remembered of them in words, and what code counted.
 *
 * Source: springdrift 7 (recall_recent, review_recent). Differs: figures come from the record, never from a model's account.
 */
import { utcMinute } from '@retainer/contract/std/utc-date';
import type { RememberedRun } from '../parts/narrative/narrative.ts';
import { accountOf } from '../memory/recall/record-texts.ts';
import { RunOutcome } from '../run/event.ts';
import { quotedGist, telling, type Telling } from './telling.ts';

/** How a run may have ended. */
export const REVIEWED_OUTCOMES = RunOutcome.options;

/** What a model thought the run was about, else what code found; empty: unknown. */
export function domainOf({ reflected, telemetry }: RememberedRun): string {
  return reflected?.domain || telemetry?.labels.domain || '';
}

/** Of all words that a row may show. */
export const labelsOf = (run: RememberedRun): readonly RememberedRun['label'][] => [
  run.label,
  ...(run.reflected === undefined ? [] : [run.reflected.label]),
];

/** @param runs  oldest first; told newest first */
export function tellRecent(runs: readonly RememberedRun[]): Telling {
  const rows = runs.toReversed().map((run) => {
    const { runId = '', endedAtMs } = run;
    const whose = labelsOf(run).every(({ trust }) => trust === 'Trusted') ? '' : ', words of others';
    return `${runId} (${utcMinute(endedAtMs)}${whose}): ${quotedGist(accountOf(run).text)}`;
  });
  return telling(rows, runs.flatMap(labelsOf), 'No run ended in that time.');
}

/** Which runs are reviewed; absent: all. */
export interface RunFilter {
  readonly domain?: string | undefined;
  readonly outcome?: string | undefined;
  /** `executor`, or a worker. */
  readonly agent?: string | undefined;
}

export function isReviewed(run: RememberedRun, { domain, outcome, agent }: RunFilter): boolean {
  const workers = (run.telemetry?.delegations ?? []).map(({ worker }) => worker.toLowerCase());
  if (domain !== undefined && domainOf(run).toLowerCase() !== domain.toLowerCase()) return false;
  if (outcome !== undefined && run.outcome !== outcome) return false;
  return agent === undefined || workers.includes(agent.toLowerCase());
}

/** @param runs  oldest first; told newest first */
export function tellReview(runs: readonly RememberedRun[]): Telling {
  return telling(runs.toReversed().map(reviewRow), runs.flatMap(labelsOf), 'No such run is among the newest.');
}

export function reviewRow(run: RememberedRun): string {
  const { runId = '', task, outcome, endedAtMs, tokens, telemetry } = run;
  const head = `${runId} ${task.name}, ${utcMinute(endedAtMs)}: ${outcome}; domain ${JSON.stringify(domainOf(run))}; intent ${quotedGist(run.intent)}`;
  if (telemetry === undefined) return `${head}; ${tokens} tokens; nothing more was counted`;
  const { calls, delegations, models, rejections, verdicts, costUsd, rounds } = telemetry;
  // A model may have invented the name of a tool that never ran.
  const tools = calls.filter(({ ran }) => ran > 0).map(({ tool, ran, failed }) => `${tool} ${ran} (${failed} failed)`);
  const workers = new Set(delegations.map(({ worker }) => worker.toLowerCase()));
  const told = [
    `agents ${[...workers].join(' ') || 'none'}`,
    `tools ${tools.join(', ') || 'none'}`,
    `${rejections} rejected by gates`,
    `criteria ${verdicts.met} met, ${verdicts.unmet} unmet, ${verdicts.unverified} unverified`,
    `${rounds} rounds`,
    models.join(' ') || 'no model',
    `${tokens} tokens, $${costUsd.toFixed(4)}`,
  ];
  return `${head}; ${told.join('; ')}`;
}
