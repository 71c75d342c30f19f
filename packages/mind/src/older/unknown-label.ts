import { OWNER, type Label, type SourceKind } from '../gate/provenance/label.ts';

/** Of a record from before there were labels: nobody knows what its writer had read, so nothing in it is believed. */
export function unknownLabel(kind: SourceKind): Label {
  return { source: { kind }, trust: 'Untrusted', readers: [OWNER] };
}
