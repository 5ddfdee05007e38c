// What is kept in this browser, for each study, annotator and batch: what was answered, written after every trial, and the
// trial at hand, written at every change. A tab that opens the same takes it over; the other one then rests.

const newToken = () => Array.from(crypto.getRandomValues(new Uint32Array(2)), n => n.toString(16).padStart(8, '0')).join('');

// `refused` is called when nothing can be kept, `lost` when another tab has taken over.
const openStore = (key, refused, lost) => {
  const token = newToken(), owner = `${key} tab`;
  const memory = {};
  let mine = true, works = true;
  const attempt = action => {
    try {
      return action();
    } catch {
      if (works)
        refused();
      works = false;
      return null;
    }
  };
  const check = () => {
    const now = works ? attempt(() => localStorage.getItem(owner)) : token;
    if (mine && works && now !== token) {
      mine = false;
      lost();
    }
    return mine;
  };
  const take = () => {
    mine = true;
    attempt(() => localStorage.setItem(owner, token));
  };
  addEventListener('storage', event => event.key === owner && check());
  take();
  const read = name => {
    try {
      return JSON.parse((works ? attempt(() => localStorage.getItem(name)) : null) ?? memory[name]);
    } catch {
      return null;
    }
  };
  // Whether this tab may go on.
  const write = (name, value) => {
    if (!check())
      return false;
    memory[name] = JSON.stringify(value);
    if (works)
      attempt(() => localStorage.setItem(name, memory[name]));
    return true;
  };
  return {
    read: () => read(key),
    write: state => write(key, state),
    readDraft: () => read(`${key} draft`),
    writeDraft: draft => write(`${key} draft`, draft),
    take,
  };
};
