/** What each kind of record is found by: its words, for an index. */
import type { StoredArtifact } from '../../parts/artifacts/artifacts.ts';
import type { StoredFact } from '../../parts/facts/facts.ts';
import { wordsOfRun, type RememberedRun } from '../../parts/narrative/narrative.ts';
import type { Thread } from '../../parts/threads/thread-rules.ts';

/** A key is a list of words, too. */
export function factText({ key, value }: Pick<StoredFact, 'key' | 'value'>): string {
  return `${key.replaceAll(/[./_-]+/g, ' ')} ${value}`;
}

export function threadText({ name, domain, keywords, locations }: Thread): string {
  return [name, domain, ...keywords, ...locations].join(' ');
}

export function runText(run: RememberedRun): string {
  return [run.intent, wordsOfRun(run)?.text ?? ''].join(' ');
}

export function artifactText({ summary, url = '', tool = '' }: StoredArtifact): string {
  return [summary, url, tool].join(' ');
}
