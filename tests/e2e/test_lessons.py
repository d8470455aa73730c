"""The lessons on the real page: each gone through, the first three by keyboard alone; and the first visit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from gradflow.backend.lessons.course import Course
from gradflow.backend.lessons.lesson import Lesson, LessonStep
from tests.e2e.conftest import PATIENCE_MS, OpenPage, visited
from tests.e2e.picture import expect_complete, expect_rest, expect_table, program, write_program
from tests.e2e.test_page import violations

LESSONS = Course().lessons
WORDS: dict[str, dict[str, str]] = {
    "en-US": {"lessons": "Lessons", "lesson": "Lesson", "next": "Next", "back": "Back", "answer": "Answer",
              "program": "Program", "hint": "Hint", "show": "Show the line", "jacobian": "Jacobian", "done": "Right.",
              "check": "Check", "last": "Last step", "tensor": "tensor", "end": "That was this lesson."},
    "zh-CN": {"lessons": "课程", "lesson": "课程", "next": "下一步", "back": "上一步", "answer": "答案",
              "program": "程序", "hint": "提示", "show": "显示这一行", "jacobian": "雅可比矩阵", "done": "对了。",
              "check": "检查", "last": "最后一步", "tensor": "张量", "end": "这一课学完了。"},
}  # fmt: skip


def region(page: Page, name: str = "Lesson") -> Locator:
    return page.get_by_role("region", name=name, exact=True)


def text_of(text: Any, locale: str) -> str:
    return str(text.zh if locale == "zh-CN" else text.en)


def press_until(page: Page, key: str, wanted: Locator) -> None:
    """Goes on by one key to what is wanted, as a reader does who has no mouse."""
    for _ in range(80):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        if page.locator(".cm-content:focus").count():
            page.keyboard.press("Escape")  # out of the editor, as it says itself
        page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead to {wanted}")


def write_by_keyboard(page: Page, source: str, words: dict[str, str]) -> None:
    """Into the program, the text."""
    editor = page.get_by_role("textbox", name=words["program"], exact=True)
    press_until(page, "Tab", editor)
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(source)


def do_by_keyboard(page: Page, step: LessonStep, words: dict[str, str]) -> None:
    if step.solution is not None:
        write_by_keyboard(page, step.solution, words)
    elif step.check.answer:
        answer = page.get_by_role("textbox", name=words["answer"], exact=True)
        press_until(page, "Tab", answer)
        page.keyboard.type(f"{step.check.answer[0]:g}")
        page.keyboard.press("Enter")
    elif step.check.view:
        press_until(page, "Tab", page.get_by_role("tab", selected=True))
        page.keyboard.press("ArrowRight")
    elif step.check.playhead:
        page.keyboard.press("End")


@pytest.mark.parametrize("locale", WORDS)
def test_the_first_three_lessons_by_keyboard_alone(open_page: OpenPage, locale: str) -> None:
    words = WORDS[locale]
    page = open_page(locale=locale, reduced_motion="reduce")
    expect_complete(page)
    press_until(page, "Tab", page.get_by_role("button", name=words["lessons"], exact=True))
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name=words["lessons"])).to_be_visible()
    first, second, third, fourth = list(LESSONS.values())[:4]
    press_until(page, "Tab", page.get_by_role("dialog").get_by_role("button", name=text_of(first.title, locale)))
    page.keyboard.press("Enter")
    for lesson, following in ((first, second), (second, third), (third, fourth)):
        expect(page.get_by_role("heading", name=text_of(lesson.title, locale))).to_be_focused()
        for k, step in enumerate(lesson.steps):
            go_through_step(page, lesson, k, step, locale)
        expect(region(page, words["lesson"])).to_contain_text(text_of(lesson.title, locale))
        page.keyboard.press("Control+Enter")
        expect(page.get_by_role("heading", name=text_of(following.title, locale))).to_be_visible()


def go_through_step(page: Page, lesson: Lesson, k: int, step: LessonStep, locale: str) -> None:
    words = WORDS[locale]
    here = region(page, words["lesson"])
    next_button = here.get_by_role("button", name=words["next"], exact=True)
    current = here.locator("li[aria-current=step]")
    expect(current).to_contain_text(text_of(step.title, locale).replace("`", ""))
    expect(next_button).to_have_attribute("aria-disabled", "true")
    do_by_keyboard(page, step, words)
    expect(next_button).to_have_attribute("aria-disabled", "false")
    expect(here.get_by_role("status").filter(has_text=text_of(step.title, locale))).to_have_count(1)
    if k + 1 == len(lesson.steps):
        return
    if step.solution is not None or step.check.view:
        page.keyboard.press("Control+Enter")  # the editor, between here and there, takes Tab for itself
    else:
        press_until(page, "Tab", next_button)
        page.keyboard.press("Enter")
    expect(here.locator("li[aria-current=step] .title")).to_be_focused()


class Learner:
    """One who goes through all the lessons on one page, and what the console complained of meanwhile."""

    def __init__(self, browser: Browser, url: str, locale: str) -> None:
        self.url, self.locale, self.words = url, locale, WORDS[locale]
        self.complaints: list[str] = []
        context = browser.new_context(
            viewport={"width": 1024, "height": 768}, locale=locale, reduced_motion="reduce", storage_state=visited(url)
        )
        context.set_default_timeout(PATIENCE_MS)
        self.page = context.new_page()
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda each: self.complaints.append(each.text) if each.type == "error" else None)

    def open(self, lesson: Lesson) -> None:
        self.page.goto("about:blank")
        self.page.goto(f"{self.url}/#lesson={lesson.id}")
        expect(self.page.locator(".cm-editor")).to_be_attached()


@pytest.fixture(scope="module", params=WORDS)
def learner(request: pytest.FixtureRequest, browser: Browser, url: str) -> Iterator[Learner]:
    learner = Learner(browser, url, request.param)
    yield learner
    learner.page.context.close()
    assert learner.complaints == []


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=lambda lesson: lesson.id)
def test_a_lesson_can_be_gone_through_to_its_end(learner: Learner, lesson: Lesson) -> None:
    page, words = learner.page, learner.words
    learner.open(lesson)
    here = region(page, words["lesson"])
    following = here.get_by_role("button", name=words["next"], exact=True)
    for k, step in enumerate(lesson.steps):
        current = here.locator("li[aria-current=step]")
        expect(current).to_contain_text(text_of(step.title, learner.locale).replace("`", ""))
        expect(following).to_have_attribute("aria-disabled", "true")
        do(page, step, words)
        expect(following).to_have_attribute("aria-disabled", "false")
        expect(current).to_contain_class("done")
        if step.check.error:
            expect(page.locator("#panes .gf-error .message")).to_be_in_viewport()
        if k + 1 < len(lesson.steps):
            following.click()
    expect(here.locator("li.done")).to_have_count(len(lesson.steps))
    expect(here.get_by_text(words["end"])).to_be_in_viewport(ratio=1)
    following.click()
    if len(LESSONS) > (at := list(LESSONS).index(lesson.id) + 1):
        title = text_of(list(LESSONS.values())[at].title, learner.locale)
        expect(here.get_by_role("heading", name=title)).to_be_visible()
    else:
        expect(page.get_by_role("dialog", name=words["lessons"])).to_be_visible()


def do(page: Page, step: LessonStep, words: dict[str, str] = WORDS["en-US"]) -> None:
    """What a step asks for, by mouse."""
    expect(page.locator(".cm-editor")).to_be_attached()
    if step.solution is not None:
        page.get_by_role("textbox", name=words["program"], exact=True).click()
        page.keyboard.press("Control+a")
        page.keyboard.insert_text(step.solution)
    elif step.check.answer:
        here = region(page, words["lesson"])
        here.get_by_role("textbox", name=words["answer"]).fill(f"{step.check.answer[0]:g}")
        here.get_by_role("button", name=words["check"]).click()
        expect(here.get_by_text(words["done"], exact=True)).to_be_in_viewport()
    elif step.check.view:
        page.locator(f"#tab-{step.check.view}").click()
    elif step.check.playhead:
        page.get_by_role("button", name=words["last"]).click()
    elif step.check.chosen:
        choose(page, step.check.chosen[0], words["tensor"])


def choose(page: Page, name: str, tensor: str) -> None:
    card = page.get_by_role("group", name=f"{tensor} {name}", exact=True).get_by_role("button").first
    pill = page.locator(f"button[data-node][aria-label*='{name}']").first
    card.or_(pill).first.click()


def test_hints_come_one_by_one_and_the_line_last(open_page: OpenPage) -> None:
    here = region(open_page("lesson=error-and-argument"))
    expect(here.get_by_text("Hint 1.")).to_have_count(0)
    here.get_by_role("button", name="Hint").click()
    expect(here.get_by_text("Hint 1. It goes below the line that makes c.")).to_be_visible()
    expect(here.get_by_role("button", name="Hint")).to_have_count(0)
    here.get_by_role("button", name="Show the line").click()
    expect(here.get_by_text("line 8")).to_be_visible()
    expect(here.get_by_text("c.backward()", exact=True).last).to_be_visible()


def test_a_wrong_answer_is_told_what_it_would_be_right_for(open_page: OpenPage) -> None:
    page = open_page("lesson=error-and-argument")
    here = region(page)
    do(page, LESSONS["error-and-argument"].steps[0])
    here.get_by_role("button", name="Next").click()
    answer = here.get_by_role("textbox", name="Answer")
    for typed, told in (("4", "4: not yet. That is a."), ("six", "Type a number"), ("7", "7: not yet.")):
        answer.fill(typed)
        answer.press("Enter")
        expect(here.get_by_role("status").filter(has_text=told)).to_be_visible()
    expect(here.get_by_role("button", name="Next")).to_have_attribute("aria-disabled", "true")
    answer.fill("6")
    answer.press("Enter")
    expect(here.get_by_role("status").filter(has_text="Right.")).to_be_visible()


def test_back_is_open_and_brings_the_program_of_its_step(open_page: OpenPage) -> None:
    page = open_page("lesson=error-and-argument")
    here = region(page)
    lesson = LESSONS["error-and-argument"]
    expect(here.get_by_role("button", name="Back", exact=True)).to_be_disabled()
    for step in lesson.steps[:3]:
        do(page, step)
        here.get_by_role("button", name="Next").click()
    expect(program(page)).to_contain_text("torch.ones(2, 2)")
    here.get_by_role("button", name="Back", exact=True).click()
    here.get_by_role("button", name="Back", exact=True).click()
    expect(program(page)).to_contain_text("c.backward()")
    expect(here.get_by_role("button", name="Next")).to_have_attribute("aria-disabled", "false")


def test_a_spoilt_program_can_be_had_anew(open_page: OpenPage) -> None:
    page = open_page("lesson=scalar-backward")
    expect(page.locator(".cm-editor")).to_be_attached()
    program(page).click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("nonsense(")
    region(page).get_by_role("button", name="Start the step again").click()
    expect(program(page)).to_contain_text("s = c.sum()")
    expect(region(page).get_by_role("button", name="Start the step again")).to_have_count(0)


def test_progress_is_kept_in_the_browser(open_page: OpenPage) -> None:
    page = open_page("lesson=error-and-argument")
    do(page, LESSONS["error-and-argument"].steps[0])
    region(page).get_by_role("button", name="Next").click()
    page.goto(page.url.partition("#")[0])
    page.reload()
    page.get_by_role("button", name="Lessons", exact=True).click()
    entry = page.get_by_role("dialog").get_by_role("button", name="The error, and the argument")
    expect(entry).to_contain_text("step 2 of 5")
    entry.click()
    expect(region(page).locator("li[aria-current=step]")).to_contain_text("Count.")
    expect(program(page)).to_contain_text("c.backward()")


def test_a_reload_keeps_lesson_and_program(open_page: OpenPage) -> None:
    page = open_page("lesson=weights-of-your-own")
    expect(page.locator(".cm-editor")).to_be_attached()
    expect(program(page)).to_contain_text("y = 3 * x")
    program(page).click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("\nprint(x.grad.sum())")
    expect(page.get_by_text("tensor(12.)")).to_be_attached()
    page.wait_for_function("location.hash.includes('lesson=weights-of-your-own') && location.hash.includes('code=')")
    page.reload()
    expect(region(page).get_by_role("heading", name="Weights of your own")).to_be_visible()
    expect(program(page)).to_contain_text("print(x.grad.sum())")


def test_a_reload_while_a_lesson_is_on_its_way_brings_its_own_program(open_page: OpenPage) -> None:
    page = open_page("example=plus-one")
    expect(page.locator(".cm-editor")).to_be_attached()
    write_program(page, "print('mine')")
    page.wait_for_url(re.compile("code="))
    held: list[Route] = []
    page.route("**/api/v1/lessons/weights-of-your-own", lambda route: held.append(route))
    page.get_by_role("button", name="Lessons", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Weights of your own").click()
    page.wait_for_url(re.compile(r"#(?!.*code=).*lesson=weights-of-your-own"))
    page.unroute("**/api/v1/lessons/weights-of-your-own")
    page.reload()
    expect(region(page).get_by_role("heading", name="Weights of your own")).to_be_visible()
    expect(program(page)).not_to_contain_text("mine")
    expect(program(page)).to_contain_text("x = torch.tensor")


def test_who_leaves_a_lesson_that_is_on_its_way_keeps_the_program(open_page: OpenPage) -> None:
    page = open_page("example=plus-one")
    expect(page.locator(".cm-editor")).to_be_attached()
    held: list[Route] = []
    page.route("**/api/v1/lessons/weights-of-your-own", lambda route: held.append(route))
    page.evaluate("location.hash = 'lesson=weights-of-your-own'")
    expect(region(page)).to_contain_text("on its way")
    page.evaluate("location.hash = 'example=matrix-product'")
    expect(region(page)).to_have_count(0)
    expect(program(page)).to_contain_text("c = a.mm(b)")
    with page.expect_response("**/api/v1/lessons/weights-of-your-own") as answer:
        held[0].continue_()
    answer.value.finished()
    expect_rest(page)
    expect(program(page)).to_contain_text("c = a.mm(b)")
    assert page.evaluate("localStorage.getItem('gradflow.lessons')") is None


@pytest.mark.parametrize("width", [1440, 1024, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_page: OpenPage, width: int, scheme: str) -> None:
    page = open_page("lesson=error-and-argument", width=width, color_scheme=scheme, reduced_motion="reduce")
    expect(region(page).get_by_role("heading")).to_be_visible()
    region(page).get_by_role("button", name="Hint").click()
    region(page).get_by_role("button", name="Show the line").click()
    expect_rest(page)
    assert violations(page) == []
    region(page).get_by_role("button", name="All lessons").click()
    expect(page.get_by_role("dialog").get_by_role("listitem")).to_have_count(len(LESSONS))
    assert violations(page) == []


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_lesson_and_program_are_both_in_sight(open_page: OpenPage, width: int) -> None:
    page = open_page("lesson=scalar-backward", width=width)
    expect(region(page).get_by_role("heading")).to_be_in_viewport()
    if width < 700:
        page.get_by_role("tab", name="Program").click()
    expect(program(page)).to_be_in_viewport()
    expect(region(page).get_by_role("button", name="Next")).to_be_in_viewport()


def test_nothing_of_a_lesson_is_loaded_before_it_is_opened(open_page: OpenPage, url: str) -> None:
    page = open_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(url)))
    page.reload()
    expect_complete(page)
    assert [each for each in asked if "lesson" in each.lower() or "Ring" in each] == []
    page.get_by_role("button", name="Lessons", exact=True).click()
    expect(page.get_by_role("dialog").get_by_role("listitem")).to_have_count(len(LESSONS))
    assert "/api/v1/lessons" in asked


def test_the_first_visit_is_three_touches_and_never_again(open_page: OpenPage) -> None:
    page = open_page(first_visit=True)
    visit = page.get_by_role("region", name="First steps")
    expect(visit.get_by_text("Change a number.")).to_be_visible()
    page.get_by_label("gradient of c [0, 1]").first.fill("2")
    expect(visit.get_by_text("Play.", exact=True)).to_be_visible()
    page.get_by_role("button", name="Play").click()
    expect(visit.get_by_text("Touch a cell.")).to_be_visible()
    page.get_by_role("table", name="value of c").get_by_role("cell").first.click()
    expect(visit.get_by_text("That is backward.")).to_be_visible()
    visit.get_by_role("button", name="Lessons").click()
    expect(page.get_by_role("dialog", name="Lessons")).to_be_visible()
    page.goto(page.url.partition("#")[0])
    page.reload()
    expect_complete(page)
    expect(visit).to_have_count(0)


def test_the_first_visit_can_be_skipped(open_page: OpenPage) -> None:
    page = open_page(first_visit=True)
    page.get_by_role("region", name="First steps").get_by_role("button", name="Skip").click()
    expect(page.get_by_role("region", name="First steps")).to_have_count(0)


def test_who_follows_a_link_is_not_shown_around(open_page: OpenPage) -> None:
    page = open_page("example=sum", first_visit=True)
    expect_table(page, "value of y", [["4"]])
    expect_complete(page)
    expect(page.get_by_role("region", name="First steps")).to_have_count(0)
