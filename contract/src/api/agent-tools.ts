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
    name: Slug.describe('Name; it stands before the names of its tools.'),
    url: HttpUrl.describe('Address of the server.'),
    tokenSecretRef: SecretKeyRef.optional().describe('Bearer token.'),
    timeout: DurationText.default('30s').describe('Longest call.'),
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
              effectClass: z.int().min(0).max(4).describe('What a call does to the world.'),
              descriptionDigest: Sha256Digest.optional().describe(
                'SHA-256 of its description and schema; a tool that says something else is not offered.',
              ),
            })
            .describe('A tool that may be used.'),
        )
        .min(1)
        .max(50),
      'name',
    ).describe('Tools that may be used; all others are hidden.'),
  })
  .describe('A tool server.');

/** Tools with external effects are off by default. */
export const AgentTools = withRules(
  z
    .object({
      allow: setList(z.array(ToolPattern).max(TOOLS_MAX))
        .default(['*'])
        .describe('Tools that exist for this agent; * stands for any run of characters.'),
      deny: setList(z.array(ToolPattern).max(TOOLS_MAX))
        .default([])
        .describe('Tools that do not, although allow names them.'),
      fetch: z
        .object({
          enabled: z.boolean().default(false).describe('Whether fetch_url exists.'),
          allowedDomains: setList(z.array(HostPattern).max(DOMAINS_MAX))
            .default([])
            .describe('Hosts that may be fetched.'),
          allowAnyPublicHost: z.boolean().default(false).describe('Let every public host be fetched.'),
          ports: setList(z.array(z.int().min(1).max(65_535)).max(8))
            .default([80, 443])
            .describe('Ports that may be reached; no others can be named in an address.'),
          bytesMax: z
            .int()
            .min(1024)
            .max(52_428_800)
            .default(10_485_760)
            .describe('Largest answer, after decompression; never more than 10 MiB.'),
          timeout: DurationText.default('20s').describe('Longest fetch, from 1s to 5m.'),
          redirectsMax: z
            .int()
            .min(0)
            .max(5)
            .default(5)
            .describe('Redirections followed on the same host, each checked like the first address.'),
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
    .describe('Which tools there are.'),
  [
    {
      rule: '!self.fetch.enabled || self.fetch.allowAnyPublicHost || self.fetch.allowedDomains.size() > 0',
      message: 'fetch needs allowedDomains, or allowAnyPublicHost',
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
              enabled: z.boolean().default(true).describe('Whether work may be delegated to it.'),
              maxTurns: z.int().min(1).max(60).optional().describe('Model calls of one delegation.'),
              maxErrors: z.int().min(1).max(20).optional().describe('Turns in a row with a failed tool call.'),
              memory: z.enum(['None', 'Read']).optional().describe('Whether it may read the agent’s memory.'),
            })
            .describe('How one specialist differs from its default.'),
        )
        .max(SPECIALISTS.length),
      'name',
    )
      .default([])
      .describe('Specialists that differ from their default.'),
    teamMembersMax: z.int().min(2).max(10).default(5).describe('Members of one team.'),
    teamRoundsMax: z.int().min(1).max(10).default(3).describe('Rounds of one team.'),
    teamTokensMax: z.int().min(1000).max(10_000_000).default(200_000).describe('Tokens of one team.'),
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
                modify: Ratio.optional().describe('Threshold; the lower of this and the character’s holds.'),
                reject: Ratio.optional().describe('Threshold; the lower of this and the character’s holds.'),
              })
              .describe('Thresholds of one gate.'),
          )
          .max(3),
        'gate',
      )
        .default([])
        .describe('Thresholds that are tighter than the character’s. They never loosen it.'),
      timeout: DurationText.default('60s').describe('A verdict that takes longer is a refusal on autonomous paths.'),
      calculus: z.boolean().default(true).describe('Resolve conflicts of norms by the normative calculus.'),
      maxIterations: z
        .int()
        .min(1)
        .max(10)
        .default(3)
        .describe('Verdicts of Modify and Reject in one cycle before a doubtful call is refused instead of cautioned.'),
      maxModifications: z.int().min(0).max(5).default(2).describe('Revisions of one outgoing text.'),
      reactiveReject: Ratio.default(0.65).describe(
        'Score of the critical features alone from which a call is refused at once.',
      ),
      stall: z
        .object({
          window: z.int().min(2).max(50).default(5).describe('Verdicts that are looked at.'),
          threshold: Ratio.default(0.25).describe('Mean score from which Modify becomes Reject.'),
        })
        .prefault({})
        .describe('Repeated doubtful verdicts within one cycle.'),
      meta: z
        .object({
          enabled: z.boolean().default(true).describe('Watch verdicts across cycles.'),
          window: z.int().min(10).max(500).default(50).describe('Cycles that are remembered.'),
          cyclesPerMinute: z.int().min(1).max(1000).default(30).describe('More than this in a minute is noted.'),
          tightenFactor: z
            .number()
            .min(0.5)
            .max(1)
            .default(0.85)
            .describe('What thresholds are multiplied by when risk adds up.'),
          tightenFloorModify: Ratio.default(0.2).describe('modify is never tightened below this.'),
          tightenFloorReject: Ratio.default(0.4).describe('reject is never tightened below this.'),
          halfLife: DurationText.default('6h').describe('How fast tightened thresholds return.'),
          cooldown: DurationText.default('5s').describe('Pause after repeated refusals.'),
        })
        .prefault({})
        .describe('The observer of the gates. It tightens and slows, never loosens.'),
    })
    .describe('How far this Agent tightens the gates of its character.'),
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
