// The end of a session: answers as files, and to the address that the study names, again and again until it takes them.

const download = (name, type, text) => {
  const link = element('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
};

const WAITS = [1, 2, 4, 8, 16];

const pause = seconds => new Promise(done => setTimeout(done, 1000 * seconds));

const postOnce = async text => {
  const answer = await fetch(study.post, { method: 'POST', body: text, mode: 'cors', credentials: 'omit', cache: 'no-store',
                                           referrerPolicy: 'no-referrer', headers: { 'Content-Type': 'text/plain;charset=UTF-8' } });
  if (!answer.ok)
    throw new Error(`the server says ${answer.status}`);
};

// Whether the answers arrived; `tell` hears of every failure.
const post = async (text, tell) => {
  for (let i = 0; ; i++) {
    try {
      await postOnce(text);
      return true;
    } catch {
      if (i === WAITS.length)
        return false;
      tell(WAITS[i]);
      await pause(WAITS[i]);
    }
  }
};
