import { stringify } from 'yaml';
import { renderCrd, structuralSchema } from '../src/api/crd.ts';
import { KIND_DEFINITIONS } from '../src/api/kinds.ts';
import { schemaFaults } from './schema-faults.ts';

const HEADER = '# Generated from contract/src/api by `npm run gen`. Do not edit.\n';

/** File name → text of every CRD. Throws where a schema has faults. */
export function renderCrdFiles(): ReadonlyMap<string, string> {
  return new Map(
    Object.values(KIND_DEFINITIONS).map((definition) => {
      const faults = schemaFaults(structuralSchema(definition), definition.kind);
      if (faults.length > 0) throw new Error(faults.join('\n'));
      const crd = renderCrd(definition);
      return [`${crd.metadata.name}.yaml`, HEADER + stringify(crd, { aliasDuplicateObjects: false, lineWidth: 120 })];
    }),
  );
}
