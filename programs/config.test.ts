import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigInvalid, readConfig, siteSecret } from './config.ts';

describe('settings', () => {
  it('are a demo on this machine when nothing is said', () => {
    expect(readConfig({}, [])).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      mediaPort: 3000,
      mode: 'demo',
      seeds: true,
      publicUrl: null,
      databaseUrl: null,
      trustedProxies: [],
      geoFallback: 'strict',
    });
    expect(readConfig({ PORT: '', HOST: ' ' }, ['--no-demo'])).toMatchObject({
      port: 3000,
      mode: 'demo',
      seeds: false,
    });
  });

  it('are production as soon as others can reach the site', () => {
    expect(readConfig({ PUBLIC_URL: 'https://cam.example/' }, [])).toMatchObject({
      mode: 'production',
      seeds: false,
      publicUrl: 'https://cam.example',
    });
    expect(() => readConfig({ HOST: '0.0.0.0' }, [])).toThrow('production needs PUBLIC_URL');
    expect(readConfig({ HOST: '0.0.0.0', CANDELA_MODE: 'demo' }, [])).toMatchObject({ mode: 'demo' });
  });

  it.each([
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '3e3'],
    ['PORT', '-1'],
    ['MEDIA_PORT', 'x'],
    ['HOST', 'cam.example'],
    ['PUBLIC_URL', 'cam.example'],
    ['PUBLIC_URL', 'https://cam.example/path'],
    ['PUBLIC_URL', 'https://a@cam.example'],
    ['PUBLIC_IP', '1.2.3'],
    ['CANDELA_MODE', 'Demo'],
    ['DATABASE_URL', 'mysql://localhost/x'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', 'proxy'],
    ['GEO_HEADER', 'a b'],
    ['GEO_FALLBACK', 'germany'],
    ['LOG_LEVEL', 'loud'],
    ['SITE_SECRET', 'too short'],
  ])('refuse %s=%s and name it', (name, value) => {
    expect(() => readConfig({ [name]: value }, [])).toThrow(ConfigInvalid);
    expect(() => readConfig({ [name]: value }, [])).toThrow(name);
  });

  it('name every fault at once', () => {
    expect(() => readConfig({ PORT: 'x', PUBLIC_IP: 'y' }, ['--fast'])).toThrow(
      /--fast[^]*PORT[^]*PUBLIC_IP/u,
    );
  });

  it('never repeat a secret', () => {
    expect(() => readConfig({ SITE_SECRET: 'hunter2' }, [])).toThrow(/^(?!.*hunter2)/su);
    expect(() => readConfig({ DATABASE_URL: 'psql://me:hunter2@db/x' }, [])).toThrow(/^(?!.*hunter2)/su);
  });
});

describe('the site secret', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = join(mkdtempSync(join(tmpdir(), 'candela-')), 'new');
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('is made once, random, for the owner alone', () => {
    const secret = siteSecret({ secret: null, dataDir });
    expect(secret).toMatch(/^[\w-]{43}$/u);
    expect(siteSecret({ secret: null, dataDir })).toBe(secret);
    const file = join(dataDir, 'site-secret');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8').trim()).toBe(secret);
  });

  it('comes from SITE_SECRET when that is set', () => {
    expect(siteSecret({ secret: 'a'.repeat(40), dataDir })).toBe('a'.repeat(40));
  });

  it('is refused when its file is damaged', () => {
    siteSecret({ secret: null, dataDir });
    writeFileSync(join(dataDir, 'site-secret'), 'x');
    chmodSync(join(dataDir, 'site-secret'), 0o600);
    expect(() => siteSecret({ secret: null, dataDir })).toThrow('is damaged');
  });
});
