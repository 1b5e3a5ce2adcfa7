// What an installed site does without a network. It stores files whose names change with what is in them, and
// nothing else: no document and no answer of a call, for those are somebody's own.
const STORE = 'assets-1';
/** Files of a few versions of the site. */
const MAX_FILES = 300;
const ASSETS = '/assets/';

const TEXTS = {
  en: ['You’re offline', 'Check your connection, then try again.', 'Try again'],
  de: ['Du bist offline', 'Prüfe deine Verbindung und versuch es noch einmal.', 'Noch einmal versuchen'],
  es: ['No tienes conexión', 'Comprueba tu conexión e inténtalo de nuevo.', 'Reintentar'],
  fr: ['Vous êtes hors ligne', 'Vérifiez votre connexion, puis réessayez.', 'Réessayer'],
  it: ['Sei offline', 'Controlla la connessione e riprova.', 'Riprova'],
  nl: ['Je bent offline', 'Controleer je verbinding en probeer het opnieuw.', 'Opnieuw proberen'],
};

/** The face of the site's own error pages; no file of the site may be there. */
const STYLE = 'html{color-scheme:dark light;font:16px/1.5 system-ui,sans-serif;background:#101014;color:#f3f2f7}'
  + 'body{display:grid;min-height:100dvh;margin:0;place-content:center;justify-items:center;gap:12px;'
  + 'padding:24px;box-sizing:border-box;text-align:center}h1{margin:0;font-size:24px}p{margin:0;color:#b6b3c4}'
  + 'a{display:inline-flex;align-items:center;min-height:44px;margin-top:12px;padding:0 20px;border-radius:10px;'
  + 'background:#f3f2f7;color:#101014;font-weight:700;text-decoration:none}'
  + '@media (prefers-color-scheme:light){html{background:#fff;color:#17161c}p{color:#5b5869}'
  + 'a{background:#17161c;color:#fff}}';

/** The page for who has no network, in the language that the page registered this worker in. */
function offline() {
  const asked = new URL(self.location.href).searchParams.get('lang');
  const lang = Object.hasOwn(TEXTS, asked) ? asked : 'en';
  const [title, text, again] = TEXTS[lang];
  const html = `<!doctype html><html lang="${lang}"><meta charset="utf-8">`
    + '<meta name="viewport" content="width=device-width, initial-scale=1">'
    + `<meta name="color-scheme" content="dark light"><title>${title}</title><style>${STYLE}</style>`
    + `<h1>${title}</h1><p>${text}</p><p><a href="">${again}</a></p></html>`;
  return new Response(html, {
    status: 503,
    headers: {
      'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    },
  });
}

async function document(event) {
  try {
    return (await event.preloadResponse) || (await fetch(event.request));
  } catch {
    return offline();
  }
}

async function asset(request) {
  const store = await caches.open(STORE);
  const known = await store.match(request);
  if (known) return known;
  const answer = await fetch(request);
  if (answer.ok) {
    await store.put(request, answer.clone());
    const files = await store.keys();
    for (const file of files.slice(0, Math.max(0, files.length - MAX_FILES))) await store.delete(file);
  }
  return answer;
}

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name !== STORE) await caches.delete(name);
  if (self.registration.navigationPreload) await self.registration.navigationPreload.enable();
})()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (request.mode === 'navigate') event.respondWith(document(event));
  else if (url.pathname.startsWith(ASSETS)) event.respondWith(asset(request));
});
