/** Selects the agent of the manifests, and checks that its references exist. Pure. One sentence for each fault. */
import type { Agent } from '@retainer/contract/api/agent';
import type { CharacterSpec } from '@retainer/contract/api/character-spec';
import type { Skill } from '@retainer/contract/api/skill';
import type { Task } from '@retainer/contract/api/task';
import { configMapFile, type ConfigMap } from '@retainer/contract/manifest/config-map';
import type { ManifestError } from '@retainer/contract/manifest/manifest-error';
import { nearestWord } from '@retainer/contract/manifest/nearest-word';
import type { ManifestObject } from '@retainer/contract/manifest/parse-manifests';
import { err, ok, type Result } from '@retainer/contract/std/result';

export interface Selection {
  readonly definition: { readonly agent: Agent; readonly character: CharacterSpec; readonly skills: readonly Skill[] };
  /** Tasks of this agent, in the order of the manifests. */
  readonly tasks: readonly Task[];
  /** ConfigMaps of the agent's namespace, by name, among them its script and the seeds of its workspace. */
  readonly configMaps: ReadonlyMap<string, ConfigMap>;
  readonly agentFile: string;
  readonly characterFile: string;
}

type Entry<K extends ManifestObject['kind']> = Extract<ManifestObject, { kind: K }>;

/** @param agentName  undefined: the only one there is. @returns every fault of the choice or of any reference */
export function selectAgent(
  objects: readonly ManifestObject[],
  agentName: string | undefined,
): Result<Selection, readonly ManifestError[]> {
  const agents = ofKind(objects, 'Agent');
  const chosen = chooseAgent(agents, agentName);
  const agentFaults = agents.flatMap((agent) => agentReferences(objects, agent));
  const taskFaults = ofKind(objects, 'Task').flatMap((task) => taskReferences(objects, task));
  const faults = [...(chosen.ok ? [] : [chosen.error]), ...agentFaults, ...taskFaults];
  if (!chosen.ok || faults.length > 0) return err(faults);
  return ok(assemble(objects, chosen.value));
}

function assemble(objects: readonly ManifestObject[], agent: Entry<'Agent'>): Selection {
  const { metadata, spec } = agent.object;
  const isNeighbour = (item: ManifestObject): boolean => item.object.metadata.namespace === metadata.namespace;
  const character = ofKind(objects, 'CharacterSpec').find(
    (it) => isNeighbour(it) && it.object.metadata.name === spec.characterRef.name,
  );
  if (character === undefined) throw new Error('references were checked before');
  const wanted = new Set(spec.skillRefs.map((it) => it.name));
  return {
    definition: {
      agent: agent.object,
      character: character.object,
      skills: ofKind(objects, 'Skill')
        .filter((it) => isNeighbour(it) && wanted.has(it.object.metadata.name))
        .map((it) => it.object),
    },
    tasks: ofKind(objects, 'Task')
      .filter((it) => isNeighbour(it) && it.object.spec.agentRef.name === metadata.name)
      .map((it) => it.object),
    configMaps: new Map(
      ofKind(objects, 'ConfigMap')
        .filter(isNeighbour)
        .map((it) => [it.object.metadata.name, it.object]),
    ),
    agentFile: agent.file,
    characterFile: character.file,
  };
}

function chooseAgent(
  agents: readonly Entry<'Agent'>[],
  name: string | undefined,
): Result<Entry<'Agent'>, ManifestError> {
  const names = agents.map((it) => it.object.metadata.name);
  const [only] = agents;
  const nowhere = { file: 'the manifests', line: 1, object: '', path: '' };
  if (only === undefined) return err({ ...nowhere, found: 'no Agent', allowed: 'at least one' });
  if (name === undefined) {
    if (agents.length === 1) return ok(only);
    return err({
      ...nowhere,
      found: `${agents.length} Agents`,
      allowed: `one; choose with --agent: ${names.join(', ')}`,
    });
  }
  const found = agents.find((it) => it.object.metadata.name === name);
  if (found !== undefined) return ok(found);
  return err({ ...nowhere, found: `no Agent "${name}"`, allowed: names.join(', '), ...suggestion(name, names) });
}

function agentReferences(objects: readonly ManifestObject[], agent: Entry<'Agent'>): readonly ManifestError[] {
  const { characterRef, skillRefs, models, workspace } = agent.object.spec;
  return [
    ...missing(objects, agent, { kind: 'CharacterSpec', name: characterRef.name, path: 'spec.characterRef.name' }),
    ...skillRefs.flatMap(({ name }, index) =>
      missing(objects, agent, { kind: 'Skill', name, path: `spec.skillRefs[${index}].name` }),
    ),
    ...scriptFaults(objects, agent, models),
    ...workspace.seeds.flatMap(({ configMapRef: { name } }, index) =>
      missing(objects, agent, { kind: 'ConfigMap', name, path: `spec.workspace.seeds[${index}].configMapRef.name` }),
    ),
  ];
}

function scriptFaults(
  objects: readonly ManifestObject[],
  agent: Entry<'Agent'>,
  { script = '', scriptConfigMapRef }: Agent['spec']['models'],
): readonly ManifestError[] {
  if (scriptConfigMapRef === undefined) return [];
  const { name } = scriptConfigMapRef;
  const unknown = missing(objects, agent, { kind: 'ConfigMap', name, path: 'spec.models.scriptConfigMapRef.name' });
  if (unknown.length > 0) return unknown;
  const isThere = ofKind(objects, 'ConfigMap').some(
    ({ object }) => object.metadata.name === name && configMapFile(object, script) !== undefined,
  );
  return isThere ? [] : [faultAt(agent, 'spec.models.script', `"${script}"`, `a key of the ConfigMap ${name}`)];
}

function taskReferences(objects: readonly ManifestObject[], task: Entry<'Task'>): readonly ManifestError[] {
  const { agentRef, dependsOn } = task.object.spec;
  const unknown = [
    ...missing(objects, task, { kind: 'Agent', name: agentRef.name, path: 'spec.agentRef.name' }),
    ...dependsOn.flatMap(({ name }, index) =>
      dependencyFaults(objects, task, { kind: 'Task', name, path: `spec.dependsOn[${index}].name` }),
    ),
  ];
  const circle = unknown.length > 0 ? undefined : circleFrom(objects, task.object.metadata.name, []);
  if (circle === undefined) return unknown;
  return [faultAt(task, 'spec.dependsOn', `a circle: ${circle.join(' → ')}`, 'dependencies without a circle')];
}

/** A Task may not depend on a Task of another Agent, whose record this Agent never reads. */
function dependencyFaults(
  objects: readonly ManifestObject[],
  task: Entry<'Task'>,
  reference: Reference,
): readonly ManifestError[] {
  const unknown = missing(objects, task, reference);
  if (unknown.length > 0) return unknown;
  const { agentRef } = task.object.spec;
  const others = ofKind(objects, 'Task').filter(
    ({ object: { metadata } }) =>
      metadata.name === reference.name && metadata.namespace === task.object.metadata.namespace,
  );
  const [other] = others;
  if (other === undefined || others.some(({ object }) => object.spec.agentRef.name === agentRef.name)) return [];
  const found = `"${reference.name}", a Task of the Agent ${other.object.spec.agentRef.name}`;
  return [faultAt(task, reference.path, found, `a Task of the same Agent, ${agentRef.name}`)];
}

interface Reference {
  readonly kind: ManifestObject['kind'];
  readonly name: string;
  readonly path: string;
}

function missing(
  objects: readonly ManifestObject[],
  from: ManifestObject,
  reference: Reference,
): readonly ManifestError[] {
  const names = objects
    .filter((it) => it.kind === reference.kind && it.object.metadata.namespace === from.object.metadata.namespace)
    .map((it) => it.object.metadata.name);
  if (names.includes(reference.name)) return [];
  const there = names.length === 0 ? 'the manifests have none' : `the manifests have ${names.join(', ')}`;
  const allowed = `the name of a ${reference.kind} in these manifests; ${there}`;
  return [{ ...faultAt(from, reference.path, `"${reference.name}"`, allowed), ...suggestion(reference.name, names) }];
}

function circleFrom(
  objects: readonly ManifestObject[],
  name: string,
  way: readonly string[],
): readonly string[] | undefined {
  if (way[0] === name) return [...way, name];
  if (way.includes(name)) return undefined;
  const task = ofKind(objects, 'Task').find((it) => it.object.metadata.name === name);
  for (const next of task?.object.spec.dependsOn ?? []) {
    const circle = circleFrom(objects, next.name, [...way, name]);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

function faultAt(
  { file, line, kind, object }: ManifestObject,
  path: string,
  found: string,
  allowed: string,
): ManifestError {
  return { file, line, object: `${kind}/${object.metadata.name}`, path, found, allowed };
}

function suggestion(name: string, names: readonly string[]): { readonly suggestion?: string } {
  const nearest = nearestWord(name, names);
  return nearest === undefined ? {} : { suggestion: nearest };
}

function ofKind<K extends ManifestObject['kind']>(objects: readonly ManifestObject[], kind: K): readonly Entry<K>[] {
  return objects.filter((it): it is Entry<K> => it.kind === kind);
}
