/**
 * Forecast files: possible findings of a gate, to try norms on a character before they are applied.
 *
 * I1  Every fault is reported at once, with file, line, field, the value found and the values allowed. Then nothing is judged.
 * I2  Features, magnitudes and specialists must exist in the tried character: a misspelt feature would count as not found.
 */
import type { CharacterSpec } from '@retainer/contract/api/character-spec';
import type { GatePolicy } from '@retainer/contract/api/gate-policy';
import { renderFound, renderPath, type ManifestError } from '@retainer/contract/manifest/manifest-error';
import { nearestWord } from '@retainer/contract/manifest/nearest-word';
import { schemaFault } from '@retainer/contract/manifest/schema-issues';
import { lineOf, readYaml, type YamlSource } from '@retainer/contract/manifest/yaml-source';
import { err, ok, type Result } from '@retainer/contract/std/result';
import { z } from 'zod';
import { MAGNITUDE_MAX, type Finding } from '@retainer/mind/gate/calculus/discrepancy';

/** The trail has a line for each finding and commitment of each case; people still read this many. */
const CASES_MAX = 1000;
/** The maximal number of features of a gate. */
const FORECASTS_MAX = 24;
const NAME_LENGTH_MAX = 63;
const RATIONALE_LENGTH_MAX = 1024;

const Forecast = z.strictObject({
  feature: z.string(),
  /** 0 to 5 on the Paper scale, 0 to 3 on the Weighted one. */
  magnitude: z.int().min(0),
  rationale: z.string().max(RATIONALE_LENGTH_MAX).default(''),
});

const Case = z.strictObject({
  name: z.string().min(1).max(NAME_LENGTH_MAX),
  /** A feature that is not named has magnitude 0. */
  forecasts: z.array(Forecast).max(FORECASTS_MAX).default([]),
});

const ForecastFile = z.strictObject({
  /** The field of `gatePolicies` that gives features, thresholds and floors. */
  gate: z.enum(['input', 'tool', 'output']),
  /** A specialist with its own policy, instead of the shared tool gate. */
  agent: z.string().optional(),
  cases: z.array(Case).min(1).max(CASES_MAX),
});
type ForecastFile = z.infer<typeof ForecastFile>;

export interface ForecastCase {
  readonly name: string;
  /** One for each feature of the policy, in the policy's order. */
  readonly findings: readonly Finding[];
}

export interface Forecasts {
  readonly gate: ForecastFile['gate'];
  readonly agent: string | undefined;
  readonly policy: GatePolicy;
  /** In the order of the file; for a history the oldest first. */
  readonly cases: readonly ForecastCase[];
}

type Spec = CharacterSpec['spec'];

/** A fault without its line. */
interface Fault {
  readonly path: readonly (string | number)[];
  readonly found: string;
  readonly allowed: string;
  readonly suggestion?: string | undefined;
}

/** @param text  YAML or JSON, one document. @param file  its name, for messages */
export function parseForecasts(text: string, file: string, spec: Spec): Result<Forecasts, readonly ManifestError[]> {
  const sources = readYaml(text, file);
  if (!sources.ok) return sources;
  const [source] = sources.value;
  if (source === undefined || sources.value.length > 1)
    return err([{ file, line: 1, object: '', path: '', found: `${sources.value.length} documents`, allowed: 'one' }]);
  const parsed = ForecastFile.safeParse(source.value);
  if (!parsed.success)
    return err(
      located(
        source,
        parsed.error.issues.flatMap((issue) => faultsOf(issue, source)),
      ),
    );
  const chosen = policyOf(parsed.data, spec);
  if (!chosen.ok) return err(located(source, [chosen.error]));
  const faults = [...doubledCases(parsed.data), ...forecastFaults(parsed.data, chosen.value, spec)];
  if (faults.length > 0) return err(located(source, faults));
  const { gate, agent, cases } = parsed.data;
  return ok({
    gate,
    agent,
    policy: chosen.value,
    cases: cases.map(({ name, forecasts }) => ({ name, findings: findingsOf(chosen.value, forecasts) })),
  });
}

function findingsOf({ features }: GatePolicy, forecasts: readonly z.infer<typeof Forecast>[]): readonly Finding[] {
  return features.map((feature) => {
    const forecast = forecasts.find((it) => it.feature === feature.name);
    return { feature, magnitude: forecast?.magnitude ?? 0, rationale: forecast?.rationale ?? '' };
  });
}

function policyOf({ gate, agent }: ForecastFile, { gatePolicies }: Spec): Result<GatePolicy, Fault> {
  if (agent === undefined) return ok(gatePolicies[gate]);
  if (gate !== 'tool')
    return err({ path: ['agent'], found: renderFound(agent), allowed: 'this field only with gate: tool' });
  const names = gatePolicies.agentOverrides.map((it) => it.agent);
  const found = gatePolicies.agentOverrides.find((it) => it.agent === agent);
  return found === undefined ? err(wordFault(['agent'], agent, names, 'gatePolicies.agentOverrides')) : ok(found.tool);
}

function doubledCases({ cases }: ForecastFile): readonly Fault[] {
  const names = cases.map((it) => it.name);
  return names.flatMap((name, at) =>
    names.indexOf(name) === at
      ? []
      : [{ path: ['cases', at, 'name'], found: `${renderFound(name)} again`, allowed: 'each name once' }],
  );
}

function forecastFaults({ gate, cases }: ForecastFile, policy: GatePolicy, spec: Spec): readonly Fault[] {
  const { scale } = spec.gatePolicies;
  const names = policy.features.map((it) => it.name);
  return cases.flatMap(({ forecasts }, at) =>
    forecasts.flatMap(({ feature, magnitude }, index): readonly Fault[] => {
      const path = ['cases', at, 'forecasts', index];
      if (!names.includes(feature)) return [wordFault([...path, 'feature'], feature, names, `the ${gate} gate`)];
      if (forecasts.findIndex((it) => it.feature === feature) < index)
        return [{ path: [...path, 'feature'], found: `${feature} again`, allowed: 'each feature once in a case' }];
      if (magnitude <= MAGNITUDE_MAX[scale]) return [];
      const allowed = `0 to ${MAGNITUDE_MAX[scale]} on the scale ${scale}`;
      return [{ path: [...path, 'magnitude'], found: String(magnitude), allowed }];
    }),
  );
}

function wordFault(path: Fault['path'], word: string, words: readonly string[], owner: string): Fault {
  const allowed = words.length === 0 ? `no feature: ${owner} of the character has none` : words.join(', ');
  return { path, found: renderFound(word), allowed, suggestion: nearestWord(word, words) };
}

/** The fault of an unknown field names its place and the known fields. */
function faultsOf(issue: z.core.$ZodIssue, { value }: YamlSource): readonly Fault[] {
  const fault = schemaFault(issue, value);
  if (issue.code !== 'unrecognized_keys') return [fault];
  const fields = fieldsAt(fault.path);
  return issue.keys.map((key) => ({
    path: [...fault.path, key],
    found: 'an unknown field',
    allowed: fields.join(', '),
    suggestion: nearestWord(key, fields),
  }));
}

function fieldsAt(path: Fault['path']): readonly string[] {
  if (path.length === 0) return Object.keys(ForecastFile.shape);
  return Object.keys(path.length === 2 ? Case.shape : Forecast.shape);
}

function located(source: YamlSource, faults: readonly Fault[]): readonly ManifestError[] {
  return faults
    .map(({ path, found, allowed, suggestion }) => ({
      file: source.file,
      line: lineOf(source, path),
      object: '',
      path: renderPath(path),
      found,
      allowed,
      ...(suggestion === undefined ? {} : { suggestion }),
    }))
    .toSorted((a, b) => a.line - b.line);
}
