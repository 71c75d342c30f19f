import { describe, expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { isGrantedTo } from './read-grant.ts';

const grant = { subject: 'sandbox-run/team/one', hosts: ['api.example.com'] };
const bound = { ...grant, addresses: ['10.0.1.7', 'fd00::7'] };

const cases = [
  { name: 'its own address', grant: bound, address: '10.0.1.7', isGranted: true },
  { name: 'its own address, mapped', grant: bound, address: '::ffff:10.0.1.7', isGranted: true },
  {
    name: 'its own address of the other family, in other letters',
    grant: bound,
    address: 'FD00:0::7',
    isGranted: true,
  },
  { name: 'a neighbour', grant: bound, address: '10.0.1.8', isGranted: false },
  { name: 'a neighbour, mapped', grant: bound, address: '::ffff:10.0.1.8', isGranted: false },
  { name: 'a client that is gone', grant: bound, address: '', isGranted: false },
  {
    name: 'anybody, with a grant for no address',
    grant: { ...grant, addresses: [] },
    address: '10.0.1.7',
    isGranted: false,
  },
  { name: 'anybody, with a grant that names none', grant, address: '10.0.1.8', isGranted: true },
];

describe('a grant', () => {
  for (const { name, address, isGranted, ...it } of cases)
    verifies('egress-proxy:grant-only', `shown by ${name}`, () => {
      expect(isGrantedTo(it.grant, address)).toBe(isGranted);
    });
});
