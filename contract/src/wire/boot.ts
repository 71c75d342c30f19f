/**
 * The operator's mounts in an agent's pod, read-only and named by digest. The agent compares every digest with the one in its
 * environment, and refuses to start on a difference.
 *
 *   boot/agent.json      {@link BootAgent}
 *   boot/character.json  the CharacterSpec: `metadata.name` and `spec`; digest by `manifest/character-digest`
 *   skills/NAME.json     one {@link BootSkill} for each skill
 *   workspace/N/KEY      files for the workspace: N is the index in `spec.workspace.seeds`
 *   secrets/NAME/KEY     mounted secrets, see `secretPath`
 *   bus/NAME/KEY         the URL of the bus's Redis, as other secrets
 */
import type { z } from 'zod';
import { Agent } from '../api/agent.ts';
import { CharacterSpec } from '../api/character-spec.ts';
import { Skill } from '../api/skill.ts';
import { canonicalJson } from '../std/canonical-json.ts';
import { sha256Hex } from '../std/hash.ts';

export const BootAgent = Agent.omit({ status: true });
export type BootAgent = z.infer<typeof BootAgent>;

export const BootCharacter = CharacterSpec.omit({ status: true });
export type BootCharacter = z.infer<typeof BootCharacter>;

/** With its body resolved: never `configMapRef`. */
export const BootSkill = Skill.omit({ status: true });
export type BootSkill = z.infer<typeof BootSkill>;

/** `sha256:` and the hash of the UTF-8 text. */
export function textDigest(text: string): string {
  return `sha256:${sha256Hex(text)}`;
}

/** Digest of the document's canonical JSON. */
export function documentDigest(document: unknown): string {
  return textDigest(canonicalJson(document));
}

/** Digest of all mounted skills, whatever their order. */
export function skillsDigest(skills: readonly BootSkill[]): string {
  const named = skills.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return documentDigest(named.map(documentDigest));
}
