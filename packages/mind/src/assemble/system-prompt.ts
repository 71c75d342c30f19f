/**
 * The stable part of a request: the agent's identity and duties. The bytes are the same for every cycle of one configuration, so
 * that a provider can cache them.
 *
 * Source: springdrift 3 (identity first); artoo B (ALWAYS tier).
 */
import type { CharacterSpec } from '@retainer/contract/api/character-spec';
import type { Skill } from '@retainer/contract/api/skill';
import type { SystemText } from '../request/model-request.ts';

/** Characters of all skill bodies together, about 6,000 tokens. A skill that does not fit appears only with its description. */
const SKILL_CHARACTERS_MAX = 24_000;

type CharacterText = Pick<CharacterSpec['spec'], 'persona' | 'virtues' | 'highestEndeavour' | 'authority'>;
type SkillText = Pick<Skill, 'metadata' | 'spec'>;

const EVERYBODY = '*';

/** The scopes of skills for the executor, which does the work of the source's single mind. */
const executorScopes: readonly string[] = ['Executor', 'Cognitive'];

/** Identity and duties, then the active skills. @param worker  who replaces the executor; absent: the executor */
export function assembleSystemPrompt(
  character: CharacterText,
  skills: readonly SkillText[],
  duties: string,
  worker?: string,
): readonly SystemText[] {
  const scopes = new Set([EVERYBODY, ...(worker === undefined ? executorScopes : [worker])]);
  const offered = skills.filter((skill) => isOffered(skill, scopes));
  const blocks = [identityText(character), duties, renderSkills(offered)].filter((text) => text.length > 0);
  return blocks.map((text, position) => ({ text, cache: position === blocks.length - 1 }));
}

/** Who the agent is, for all roles of its runs. */
export function identityText(character: CharacterText): string {
  return [
    character.persona.trim(),
    section(
      'Virtues',
      character.virtues.map((it) => `- ${it.name}: ${it.expressions.join('; ')}`),
    ),
    section(
      'Commitments',
      character.highestEndeavour.map((it) => `- ${it.description} (${it.operator}, ${it.level})`),
    ),
    section(
      'You may do alone',
      character.authority.alone.map((it) => `- ${it.description}`),
    ),
    section(
      'You ask a person before',
      character.authority.consult.map((it) => `- ${it.description}`),
    ),
    section(
      'You never',
      character.authority.never.map((it) => `- ${it.description}`),
    ),
  ]
    .filter((text) => text.length > 0)
    .join('\n\n');
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}:\n${lines.join('\n')}`;
}

/** A deprecated skill stays readable for people, but no model receives it. */
function isOffered({ spec }: SkillText, scopes: ReadonlySet<string>): boolean {
  return spec.lifecycle !== 'Deprecated' && spec.agents.some((scope) => scopes.has(scope));
}

function renderSkills(skills: readonly SkillText[]): string {
  let left = SKILL_CHARACTERS_MAX;
  const parts = skills.map(({ metadata, spec }) => {
    const title = `Skill ${metadata.name} ${spec.version}: ${spec.description}`;
    const body = spec.body?.trim() ?? '';
    if (body.length === 0 || body.length > left) return title;
    left -= body.length;
    return `${title}\n\n${body}`;
  });
  return parts.join('\n\n');
}
