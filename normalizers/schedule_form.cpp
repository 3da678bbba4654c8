#include "normalizers/schedule_form.h"

namespace uopdiff {

ScheduleForm make_schedule_form(Schedule schedule) {
  ScheduleForm form;
  form.content = evaluate_content(schedule, nullptr);
  for (size_t k = 0; k < schedule.size(); ++k) form.kernels.push_back(make_kernel_form(schedule[k], k));
  form.schedule = std::move(schedule);
  return form;
}

std::string print_form(const ScheduleForm& form) {
  std::string text;
  for (const KernelForm& kernel : form.kernels)
    for (const FormLine& line : kernel.lines) text += line.text + "\n";
  return text;
}

}  // namespace uopdiff
