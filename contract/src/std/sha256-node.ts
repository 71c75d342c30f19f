import { hash } from 'node:crypto';

/** Encodes text as UTF-8. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}
