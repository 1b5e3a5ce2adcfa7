// Shows push messages and opens what they lead to. It serves no pages: its scope has none.
self.addEventListener('push', (event) => {
  let message = {};
  try {
    message = event.data ? event.data.json() : {};
  } catch {
    // Not one of ours: it is shown without a word of it.
  }
  const { title = '•', body = '', link = '/' } = message;
  event.waitUntil(self.registration.showNotification(title, {
    body, tag: link, icon: '/favicon.ico', data: { link },
  }));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const link = (event.notification.data && event.notification.data.link) || '/';
  const url = new URL(link, self.location.origin);
  // A message never leads to another site.
  const target = url.origin === self.location.origin ? url.href : self.location.origin;
  event.waitUntil((async () => {
    const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
    const open = tabs.find((tab) => tab.url === target);
    if (open) return open.focus();
    return self.clients.openWindow(target);
  })());
});
