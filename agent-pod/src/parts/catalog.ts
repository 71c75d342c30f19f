/** The tools of all parts. */
import type { KnownTools } from '@retainer/mind/gate/tool-facts';
import { factsIn, registryOf, type ToolRegistry } from '../tools/registry.ts';
import type { ToolDescriptor, ToolSettings } from '../tools/tool.ts';
import { podParts } from './parts.ts';

/** In the order that a model sees. */
export const catalog: readonly ToolDescriptor[] = podParts.flatMap(({ tools = [] }) => tools);

/** The pure half of the catalog, for code that judges tools without running them. */
export const knownTools: KnownTools = factsIn(catalog);

export function knownToolsIn(descriptors: readonly ToolDescriptor[]): KnownTools {
  return descriptors === catalog ? knownTools : factsIn(descriptors);
}

/** @param descriptors  the catalog; another one in tests of a new tool */
export function createRegistry(settings: ToolSettings, descriptors: readonly ToolDescriptor[] = catalog): ToolRegistry {
  return registryOf(settings, descriptors, knownToolsIn(descriptors));
}
