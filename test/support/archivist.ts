/** An Archivist for tests: whom it asks, and rules of a script for what it says. */
import type { ArchivistSettings } from '@retainer/agent-pod/loop/archive-driver';

export const archivist: ArchivistSettings = {
  model: { tier: 'Fast', model: 'archivist-model', structuredRetries: 1 },
  wait: { firstMs: 60_000, mostMs: 60_000 },
};

export interface Said {
  readonly prose: string;
  /** Elements after the topics: calls and a case. */
  readonly rest?: string;
}

/** Rules that come before all others of a script. */
export function archivistRules({ prose, rest = '' }: Said): string {
  const labels = '<domain>testing</domain><keyword>change</keyword><keyword>value</keyword><topic>values</topic>';
  const xml = `<reflection><prose>${prose}</prose><intent>Change a value.</intent>${labels}${rest}</reflection>`;
  return `
  - name: what the Archivist thinks
    when: {role: archivist, turn: 1}
    answer: {text: 'I thought it over.'}
  - name: what the Archivist writes
    when: {role: archivist}
    answer: {text: '${xml}'}`;
}

/** A case as the Archivist writes it. */
export const toldCase =
  '<case><approach>Change it at once.</approach><assessment>It worked.</assessment><pitfall>Looking is too little.</pitfall></case>';

/** The script with these rules before its own. */
export function withArchivist(script: string, said: Said): string {
  return script.replace(/\nrules:/, () => `\nrules:${archivistRules(said)}`);
}
