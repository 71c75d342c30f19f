import { stringify } from 'yaml';
import { renderCrd } from '../src/api/crd.ts';
import { KIND_DEFINITIONS } from '../src/api/kinds.ts';

const HEADER = '# Generated from contract/src/api by `npm run gen`. Do not edit.\n';

/** File name → text of every CRD. */
export function renderCrdFiles(): ReadonlyMap<string, string> {
  return new Map(
    Object.values(KIND_DEFINITIONS).map((definition) => {
      const crd = renderCrd(definition);
      return [`${crd.metadata.name}.yaml`, HEADER + stringify(crd, { aliasDuplicateObjects: false, lineWidth: 120 })];
    }),
  );
}
