import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryFiles, repositoryRoot } from '../../../test/support/repository-files.ts';
import { verifies } from '../../../test/verifies.ts';
import { faultOf, faultText, MailServerError, SERVER_FAULTS, type ServerFault } from './server-fault.ts';

const server = { host: 'mail.example', port: 993, mailbox: 'Agent' };
const coded = (code: string): Error => Object.assign(new Error('SERVER-WORDS'), { code });
const login = (more: object): Error =>
  Object.assign(new Error('SERVER-WORDS'), { authenticationFailed: true, ...more });

describe('what is wrong with a mail server', () => {
  verifies('mail-servers:own-words', 'has one sentence each, which names the server and no other sentence is', () => {
    const texts = SERVER_FAULTS.map((fault) => faultText(fault, server));
    expect(new Set(texts).size).toBe(SERVER_FAULTS.length);
    for (const text of texts) {
      expect(text).toContain('mail.example:993');
      expect(text).not.toMatch(/[{}\n]|\.$/);
      expect(text.length).toBeLessThan(220);
    }
  });

  it.each<readonly [string, unknown, ServerFault]>([
    ['a certificate that is over', coded('CERT_HAS_EXPIRED'), 'CertificateExpired'],
    ['one that is not valid yet', coded('CERT_NOT_YET_VALID'), 'CertificateNotYetValid'],
    ['an authority that nobody knows', coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'CertificateUntrusted'],
    ['one that signed itself', coded('DEPTH_ZERO_SELF_SIGNED_CERT'), 'CertificateUntrusted'],
    ['another name', coded('ERR_TLS_CERT_ALTNAME_INVALID'), 'NameMismatch'],
    ['no TLS', coded('ERR_SSL_WRONG_VERSION_NUMBER'), 'NoTls'],
    ['another version of TLS', coded('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'), 'NoTls'],
    [
      'the code of the system below that of the library',
      { code: 'ESOCKET', originalCode: 'CERT_HAS_EXPIRED' },
      'CertificateExpired',
    ],
    ['a wrong password', login({ serverResponseCode: 'AUTHENTICATIONFAILED' }), 'LoginRefused'],
    ['a refusal without a code', login({}), 'LoginRefused'],
    ['a login that cannot be served now', login({ serverResponseCode: 'UNAVAILABLE' }), 'ServerUnavailable'],
    [
      'the same in the words of Exchange',
      login({ response: 'NO User is authenticated but not connected.' }),
      'ServerUnavailable',
    ],
    ['too many connections, by a code', login({ serverResponseCode: 'LIMIT' }), 'TooManyConnections'],
    [
      'the same in the words of Gmail',
      login({ responseText: 'Too many simultaneous connections. (Failure)' }),
      'TooManyConnections',
    ],
    ['the same in a farewell', { code: 'NoConnection', reason: 'Too many connections' }, 'TooManyConnections'],
    ['a mailbox that is not there', { mailboxMissing: true, responseStatus: 'NO' }, 'MailboxMissing'],
    ['a mailbox without room', { serverResponseCode: 'OVERQUOTA' }, 'MailboxFull'],
    ['a proxy that answers 403', { name: 'ProxyError', status: 403 }, 'ProxyRefused'],
    ['a proxy that is not there', { name: 'ProxyError', code: 'ECONNREFUSED' }, 'ProxyUnreachable'],
    ['what was told before', new MailServerError('NoAnswer', server), 'NoAnswer'],
    ['what nobody knows', 'SERVER-WORDS', 'UnexpectedAnswer'],
    ['nothing', undefined, 'UnexpectedAnswer'],
  ])('is read from %s', (_name, error, fault) => {
    expect(faultOf(error, 'UnexpectedAnswer')).toBe(fault);
    expect(new MailServerError(faultOf(error, 'UnexpectedAnswer'), server).message).not.toContain('SERVER-WORDS');
  });
});

describe('the libraries of mail', () => {
  const libraries = /from '(imapflow|nodemailer|mailauth|postal-mime)(\/[^']*)?'/;
  const sources = repositoryFiles()
    .map((path) => relative(repositoryRoot, path))
    .filter((path) => /^(agent-pod|cli|operator|packages\/\w+)\/src\/.*(?<!\.test)\.ts$/.test(path));

  verifies('mail-servers:lazy', 'are imported nowhere but as types and when they are needed', () => {
    expect(sources.length).toBeGreaterThan(100);
    const statements = sources.flatMap((path) =>
      readFileSync(`${repositoryRoot}/${path}`, 'utf8')
        .split('\n')
        .filter((line) => libraries.test(line) || /import\('(imapflow|nodemailer|mailauth|postal-mime)/.test(line))
        .map((line) => ({ path, line: line.trim() })),
    );
    expect(statements.filter(({ line }) => line.includes("import('")).length).toBeGreaterThan(1);
    expect(statements.filter(({ path }) => !path.startsWith('agent-pod/src/mail/'))).toEqual([]);
    expect(statements.filter(({ line }) => libraries.test(line) && !line.startsWith('import type '))).toEqual([]);
  });
});
