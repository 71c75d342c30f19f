/** Certificates for servers on loopback, made by openssl once for a test file. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certified {
  readonly key: string;
  readonly cert: string;
}

export interface Certificates {
  readonly ca: string;
  /** Signed by `ca`, for localhost and 127.0.0.1 where nothing else is asked for. */
  readonly signed: Certified;
  /** Signed by `ca`, for another host. */
  readonly otherHost: Certified;
  /** Signed by `ca`, and over since yesterday. */
  readonly expired: Certified;
  /** For localhost and 127.0.0.1, signed by itself. */
  readonly selfSigned: Certified;
}

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'] as const;
const HERE = 'DNS:localhost,IP:127.0.0.1';

/** @param names  of what `signed` is for */
export function makeCertificates(names = HERE): Certificates {
  const directory = mkdtempSync(join(tmpdir(), 'retainer-test-'));
  const at = (file: string): string => join(directory, file);
  const read = (name: string): Certified => ({
    key: readFileSync(at(`${name}.key`), 'utf8'),
    cert: readFileSync(at(`${name}.pem`), 'utf8'),
  });
  const openssl = (...args: readonly string[]): void => {
    execFileSync('openssl', args, { stdio: 'ignore', cwd: directory });
  };
  const selfSigned = (name: string, ...more: readonly string[]): void =>
    openssl('req', '-x509', ...CURVE, '-keyout', `${name}.key`, '-out', `${name}.pem`, '-subj', `/CN=${name}`, ...more);
  const signed = (name: string, hosts: string, ...validity: readonly string[]): Certified => {
    openssl('req', '-new', ...CURVE, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    writeFileSync(at(`${name}.ext`), `subjectAltName=${hosts}\n`);
    const by = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', `${name}.ext`];
    openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...by, ...validity);
    return read(name);
  };
  try {
    selfSigned('ca', '-days', '30', '-addext', 'basicConstraints=critical,CA:TRUE');
    selfSigned('self', '-days', '30', '-addext', `subjectAltName=${HERE}`);
    return {
      ca: read('ca').cert,
      signed: signed('signed', names, '-days', '30'),
      otherHost: signed('other', 'DNS:other.example', '-days', '30'),
      expired: signed('expired', HERE, '-days', '-1'),
      selfSigned: read('self'),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
