/**
 * The available tools, the specialists, and the Agent's tightening of the gates. Source: design 3, 5; springdrift 2, 7;
 * platforms 5.
 */
import { z } from 'zod';
import { matchesName } from '../std/name-pattern.ts';
import { mapList, setList, withRules } from './cel-rule.ts';
import { DurationText, HostPattern, HttpUrl, Ratio, SecretKeyRef, Sha256Digest, Slug, ToolPattern } from './fields.ts';
import { SPECIALISTS } from './roles.ts';

const DOMAINS_MAX = 128;
const TOOLS_MAX = 128;
const MCP_SERVERS_MAX = 16;

const McpServer = z
  .object({
    name: Slug.describe('Name; the prefix of its tools’ names.'),
    url: HttpUrl.describe('Address of the server.'),
    tokenSecretRef: SecretKeyRef.optional().describe('Bearer token.'),
    timeout: DurationText.default('30s').describe('Maximum duration of a call.'),
    tools: mapList(
      z
        .array(
          z
            .object({
              name: z
                .string()
                .min(1)
                .max(64)
                .regex(/^[A-Za-z0-9_-]+$/)
                .describe('Name of the tool on the server.'),
              effectClass: z.int().min(0).max(4).describe('Effect class of a call.'),
              descriptionDigest: Sha256Digest.optional().describe(
                'SHA-256 of its description and schema; a tool with another digest is not offered.',
              ),
            })
            .describe('An allowed tool.'),
        )
        .min(1)
        .max(50),
      'name',
    ).describe('Allowed tools; all others are hidden.'),
  })
  .describe('A tool server.');

/** Tools with external effects are off by default. */
export const AgentTools = withRules(
  z
    .object({
      allow: setList(z.array(ToolPattern).max(TOOLS_MAX))
        .default(['*'])
        .describe('Tools of this agent; * matches any characters.'),
      deny: setList(z.array(ToolPattern).max(TOOLS_MAX))
        .default([])
        .describe('Tools that the agent does not have, even if allow names them.'),
      fetch: z
        .object({
          enabled: z.boolean().default(false).describe('Whether the agent has the tool fetch_url.'),
          allowedDomains: setList(z.array(HostPattern).max(DOMAINS_MAX))
            .default([])
            .describe('Hosts that fetch_url may reach.'),
          allowAnyPublicHost: z.boolean().default(false).describe('Allow every public host.'),
          ports: setList(z.array(z.int().min(1).max(65_535)).max(8))
            .default([80, 443])
            .describe('Allowed ports; an address with another port is refused.'),
          bytesMax: z
            .int()
            .min(1024)
            .max(52_428_800)
            .default(10_485_760)
            .describe('Maximum size of an answer, after decompression; at most 10 MiB.'),
          timeout: DurationText.default('20s').describe('Maximum duration of a fetch; 1s to 5m.'),
          redirectsMax: z
            .int()
            .min(0)
            .max(5)
            .default(5)
            .describe('Maximum number of redirects on the same host; each is checked like the first address.'),
        })
        .prefault({})
        .describe('Reading from the web.'),
      search: z
        .object({
          provider: z.enum(['None', 'Brave', 'Kagi']).default('None').describe('Search service.'),
          apiKeySecretRef: SecretKeyRef.optional().describe('Key of the service.'),
        })
        .prefault({})
        .describe('Searching the web.'),
      mcpServers: mapList(z.array(McpServer).max(MCP_SERVERS_MAX), 'name').default([]).describe('Tool servers.'),
    })
    .describe('Tools of the agent.'),
  [
    {
      rule: '!self.fetch.enabled || self.fetch.allowAnyPublicHost || self.fetch.allowedDomains.size() > 0',
      message: 'fetch needs allowedDomains or allowAnyPublicHost',
      fieldPath: '.fetch.allowedDomains',
      reason: 'FieldValueRequired',
    },
    {
      rule: "self.search.provider == 'None' || has(self.search.apiKeySecretRef)",
      message: 'a search provider needs apiKeySecretRef',
      fieldPath: '.search.apiKeySecretRef',
      reason: 'FieldValueRequired',
    },
  ],
);
export type AgentTools = z.infer<typeof AgentTools>;

/** Whether the lists let a tool be. Whether there is one is another question. */
export function allowsTool({ allow, deny }: Pick<AgentTools, 'allow' | 'deny'>, name: string): boolean {
  return allow.some((it) => matchesName(it, name)) && !deny.some((it) => matchesName(it, name));
}

export const AgentSpecialists = z
  .object({
    overrides: mapList(
      z
        .array(
          z
            .object({
              name: z.enum(SPECIALISTS).describe('Specialist.'),
              enabled: z.boolean().default(true).describe('Whether other roles may delegate work to it.'),
              maxTurns: z.int().min(1).max(60).optional().describe('Maximum number of model calls in one delegation.'),
              maxErrors: z
                .int()
                .min(1)
                .max(20)
                .optional()
                .describe('Maximum number of turns in a row with a failed tool call.'),
              memory: z.enum(['None', 'Read']).optional().describe('Whether it may read the agent’s memory.'),
            })
            .describe('Settings of one specialist that differ from its default.'),
        )
        .max(SPECIALISTS.length),
      'name',
    )
      .default([])
      .describe('Specialists that differ from their default.'),
    teamMembersMax: z.int().min(2).max(10).default(5).describe('Maximum number of members of one team.'),
    teamRoundsMax: z.int().min(1).max(10).default(3).describe('Maximum number of rounds of one team.'),
    teamTokensMax: z.int().min(1000).max(10_000_000).default(200_000).describe('Maximum tokens of one team.'),
  })
  .describe('Specialists and teams.');
export type AgentSpecialists = z.infer<typeof AgentSpecialists>;

/** An Agent can only tighten the gates of its CharacterSpec. */
export const AgentGates = withRules(
  z
    .object({
      overrides: mapList(
        z
          .array(
            z
              .object({
                gate: z.enum(['Input', 'Tool', 'Output']).describe('Gate.'),
                modify: Ratio.optional().describe('Threshold; the lower one of this and the character’s applies.'),
                reject: Ratio.optional().describe('Threshold; the lower one of this and the character’s applies.'),
              })
              .describe('Thresholds of one gate.'),
          )
          .max(3),
        'gate',
      )
        .default([])
        .describe('Thresholds that tighten those of the character. They never loosen them.'),
      timeout: DurationText.default('60s').describe(
        'Maximum time for a verdict, up to models.requestTimeout where models were measured to be slower; after it, autonomous work is refused.',
      ),
      calculus: z.boolean().default(true).describe('Resolve conflicts of norms with the normative calculus.'),
      maxIterations: z
        .int()
        .min(1)
        .max(10)
        .default(3)
        .describe(
          'Number of Modify and Reject verdicts in one cycle after which a doubtful call is refused instead of cautioned.',
        ),
      maxModifications: z.int().min(0).max(5).default(2).describe('Maximum number of revisions of one outgoing text.'),
      reactiveReject: Ratio.default(0.65).describe(
        'Score of the critical features alone at which a call is refused at once.',
      ),
      stall: z
        .object({
          window: z.int().min(2).max(50).default(5).describe('Number of verdicts to evaluate.'),
          threshold: Ratio.default(0.25).describe('Mean score at which Modify becomes Reject.'),
        })
        .prefault({})
        .describe('Escalation after repeated doubtful verdicts in one cycle.'),
      meta: z
        .object({
          enabled: z.boolean().default(true).describe('Watch verdicts across runs.'),
          window: z.int().min(10).max(500).default(50).describe('Number of runs to evaluate.'),
          cyclesPerMinute: z
            .int()
            .min(1)
            .max(1000)
            .default(30)
            .describe('Number of runs that begin in a minute above which the observer reacts.'),
          tightenFactor: z
            .number()
            .min(0.5)
            .max(1)
            .default(0.85)
            .describe('Factor for the thresholds when risk accumulates.'),
          tightenFloorModify: Ratio.default(0.2).describe('Lower limit of the tightened modify.'),
          tightenFloorReject: Ratio.default(0.4).describe('Lower limit of the tightened reject.'),
          halfLife: DurationText.default('6h').describe('Rate at which tightened thresholds return to normal.'),
          cooldown: DurationText.default('5s').describe('Pause after repeated refusals.'),
        })
        .prefault({})
        .describe('The observer of the gates. It tightens and slows, never loosens.'),
    })
    .describe('Gate settings of this Agent, which can only tighten those of its character.'),
  [
    {
      rule: 'self.overrides.all(o, !has(o.modify) || !has(o.reject) || o.modify <= o.reject)',
      message: 'modify must not be above reject in a gate’s overrides',
      fieldPath: '.overrides',
    },
    {
      rule: 'self.meta.tightenFloorModify <= self.meta.tightenFloorReject',
      message: 'tightenFloorModify must not be above tightenFloorReject',
      fieldPath: '.meta.tightenFloorModify',
    },
  ],
);
export type AgentGates = z.infer<typeof AgentGates>;
