/** What each kind of record is found by: its words, for an index. */
import type { Label } from '../../gate/provenance/label.ts';
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

/** What a run wanted, how it ended, and what is said of it; whose words that may be. */
export function accountOf(run: RememberedRun): { readonly text: string; readonly label: Label } {
  const said = wordsOfRun(run);
  const words = said === undefined || said.text === '' ? '' : `: ${said.text}`;
  return { text: `${run.intent} → ${run.outcome}${words}`, label: said === undefined ? run.label : said.label };
}

export function artifactText({ summary, url = '', tool = '' }: StoredArtifact): string {
  return [summary, url, tool].join(' ');
}
