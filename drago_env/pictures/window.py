"""A window on the screen."""

from __future__ import annotations

import os
from typing import Any

from drago_env.pictures import canvas


class Window:
    """A window on the screen that shows pictures; it opens with the first one.

    With `fps`, `show` waits so that no more than so many pictures are shown in a second. Once
    the user has closed the window, `show` does nothing. Needs pygame-ce.
    """

    def __init__(self, title: str, fps: float | None = None) -> None:
        self.title, self.fps = title, fps
        self.dismissed = False  # by the user
        self._pygame: Any = None
        self._window: Any = None
        self._clock: Any = None

    def show(self, rgb: canvas.Pixels) -> None:
        """Shows a picture of shape (height, width, 3) and answers the window's events."""
        if self.dismissed:
            return
        size = (rgb.shape[1], rgb.shape[0])
        if self._window is None:
            self._open(size)
        picture = self._pygame.image.frombuffer(rgb.tobytes(), size, "RGB")
        self._window.get_surface().blit(picture, (0, 0))
        self._window.flip()
        self._answer()
        if self.fps:
            self._clock.tick(self.fps)

    def close(self) -> None:
        """Closes the window if it is open; the next `show` would open it anew."""
        if self._window is not None:
            self._window.destroy()
            self._window = None

    def _open(self, size: tuple[int, int]) -> None:
        os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it would greet on stdout
        try:
            import pygame
        except ImportError as error:
            raise ImportError(f"a window needs pygame-ce: {canvas.INSTALL}") from error
        self._pygame, self._clock = pygame, pygame.time.Clock()
        pygame.display.init()
        self._window = pygame.Window(self.title, size)

    def _answer(self) -> None:
        for event in self._pygame.event.get():
            closed = event.type == self._pygame.WINDOWCLOSE and event.window is self._window
            if closed or event.type == self._pygame.QUIT:
                self.dismissed = True
        if self.dismissed:
            self.close()
