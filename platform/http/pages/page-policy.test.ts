import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { hashInline, pagePolicy } from './page-policy.ts';

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

describe('hashInline', () => {
  it('allows by hash what carried the nonce, and takes the nonce out', () => {
    const { html, scripts, styles } = hashInline(
      '<style nonce="n+/=">p{}</style><script nonce="n+/=" type="module">go()</script>',
      'n+/=',
    );
    expect(html).toBe('<style>p{}</style><script type="module">go()</script>');
    expect([scripts, styles]).toEqual([[hashOf('go()')], [hashOf('p{}')]]);
  });

  it('does not allow a script that a text smuggled in', () => {
    const smuggled = '<p><script>steal()</script></p><script nonce="guess">steal()</script>';
    const { scripts } = hashInline(smuggled, 'real');
    expect(scripts).toEqual([]);
  });
});

describe('pagePolicy', () => {
  const policy = pagePolicy('cam.test', { scripts: ['\'nonce-a\''], styles: [] });

  it('runs own files and named inline scripts, and nothing else', () => {
    expect(policy).toContain('script-src \'self\' \'nonce-a\';');
    expect(policy).toContain('style-src \'self\';');
    expect(policy).not.toMatch(/unsafe|\*|https:/u);
  });

  it('allows exactly the given origins in frames, and none where frames are locked', () => {
    const sources = { scripts: [], styles: [] };
    const frames = ['https://pay.example', 'http://localhost:3010', '*', 'https:', '\'self\' *', 'https:a'];
    const framesOf = (leave: object): string | undefined =>
      /frame-src [^;]*/u.exec(pagePolicy('cam.test', sources, { frames, ...leave }))?.[0];
    expect(framesOf({})).toBe('frame-src \'self\' https://pay.example http://localhost:3010');
    expect(framesOf({ framesLocked: true })).toBe('frame-src \'self\'');
    expect(policy).toContain('frame-src \'self\';');
  });

  it('allows a provider its origins, sockets and styles, and no page without one', () => {
    const sources = { scripts: ['\'nonce-a\''], styles: ['\'nonce-a\''] };
    const named = pagePolicy('cam.test', sources, { providers: ['https://chat.example'] });
    for (const part of [
      'script-src \'self\' \'nonce-a\' https://chat.example;',
      'style-src \'self\' \'unsafe-inline\' https://chat.example;',
      'frame-src \'self\' https://chat.example;',
      ' wss://chat.example https://chat.example;',
    ]) expect(named).toContain(part);
    expect(/script-src [^;]*unsafe/u.test(named)).toBe(false);
    expect(pagePolicy('cam.test', sources)).not.toContain('chat.example');
  });

  it('forbids plugins, foreign bases and framing, and names the sockets of its own host', () => {
    for (const part of [
      'object-src \'none\'',
      'base-uri \'none\'',
      'frame-ancestors \'none\'',
      'wss://cam.test',
    ]) {
      expect(policy).toContain(part);
    }
  });
});
