/**
 * The operator's mounts in an agent's pod, read-only and named by digest. The agent compares every digest with the one in its
 * environment, and refuses to start on a difference.
 *
 *   boot/agent.json      {@link BootAgent}
 *   boot/character.json  the CharacterSpec: `metadata.name` and `spec`; digest by `manifest/character-digest`
 *   skills/NAME.json     one {@link BootSkill} for each skill
 *   workspace/N/KEY      files for the workspace: N is the place in `spec.workspace.seeds`
 *   secrets/NAME/KEY     mounted secrets, see `secretPath`
 *   bus/NAME/KEY         the URL of the bus's Redis, as other secrets
 */
import type { z } from 'zod';
import { Agent } from '../api/agent.ts';
import { CharacterSpec } from '../api/character-spec.ts';
import { Skill } from '../api/skill.ts';
import { canonicalJson } from '../std/canonical-json.ts';
import { sha256Hex } from '../std/hash.ts';

/** The Agent without what does not concern the process: status, `suspend`, `pod`. */
export const BootAgent = Agent.omit({ status: true });
export type BootAgent = z.infer<typeof BootAgent>;

/** The CharacterSpec without its status. */
export const BootCharacter = CharacterSpec.omit({ status: true });
export type BootCharacter = z.infer<typeof BootCharacter>;

/** A Skill with its body resolved: never `configMapRef`. */
export const BootSkill = Skill.omit({ status: true });
export type BootSkill = z.infer<typeof BootSkill>;

/** Digest of a text in UTF-8, `sha256:` and its hash; of a document's canonical JSON it is the digest of the document. */
export function textDigest(text: string): string {
  return `sha256:${sha256Hex(text)}`;
}

/** Digest of a mounted document: of its canonical JSON. */
export function documentDigest(document: unknown): string {
  return textDigest(canonicalJson(document));
}

/** Digest of all mounted skills, whatever their order. */
export function skillsDigest(skills: readonly BootSkill[]): string {
  const named = skills.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return documentDigest(named.map(documentDigest));
}
