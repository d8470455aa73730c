/** Whether the reader is working out a gradient: then the page must not tell it. */
class Asking {
  open = $state(false);
}

export const asking = new Asking();
